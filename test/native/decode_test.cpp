// Ids to bytes in one pass: whole tokens while they fit, never a byte more, and where to continue.
#include <algorithm>
#include <atomic>
#include <thread>

#include "base/integers.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::decode_test {
namespace {

using Ids = std::vector<std::uint32_t>;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kUntouched = 0xEE;
const std::vector<AddedToken> kAdded = {{"<|end|>", 9000}, {std::string(300, 'x'), 9001}, {"plain", 9002, 0}};

const Vocabulary& vocabulary() {
    static const Vocabulary v = [] {
        Random random(5);
        return random_vocabulary(random, "abet s", 1500, 60);
    }();
    return v;
}

// By definition: the token's bytes, none for a skipped special token. nullptr: no such id.
const std::string* bytes_of(std::uint32_t id, bool skip_special) {
    static const std::string none;
    if (id < vocabulary().tokens.size() && !vocabulary().tokens[id].empty()) return &vocabulary().tokens[id];
    for (const AddedToken& token : kAdded) {
        if (token.id == id) return skip_special && (token.flags & CRAYON_ADDED_SPECIAL) ? &none : &token.bytes;
    }
    return nullptr;
}

std::uint32_t random_id(Random& random) {
    if (random.one_in(8)) return kAdded[random.below(kAdded.size())].id;
    for (;;) {
        const std::uint32_t id = static_cast<std::uint32_t>(random.below(vocabulary().tokens.size()));
        if (!vocabulary().tokens[id].empty()) return id;
    }
}

class DecodeTest : public testing::Test {
protected:
    // Decodes into `capacity` bytes of a larger block of memory.
    crayon_status decode(const Ids& ids, std::uint32_t flags, std::uint32_t capacity) {
        memory_.assign(capacity + 64, kUntouched);
        return crayon_decode(tokenizing_.tokenizer(), ids.data(), static_cast<std::uint32_t>(ids.size()), flags, memory_.data(),
                             capacity, &result_);
    }
    std::string written() const { return {memory_.begin(), memory_.begin() + result_.count}; }
    bool untouched_after(std::uint32_t capacity) const {
        return std::all_of(memory_.begin() + capacity, memory_.end(), [](std::uint8_t b) { return b == kUntouched; });
    }

    Tokenizing tokenizing_{compile(vocabulary(), "gpt2", kAdded)};
    crayon_result result_;
    Bytes memory_;
};

TEST_F(DecodeTest, StopsAfterTheLastTokenThatFits) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed);
        Ids ids(random.below(12));
        for (std::uint32_t& id : ids) id = random_id(random);
        for (const bool skip : {false, true}) {
            std::string whole;
            for (std::uint32_t id : ids) whole += *bytes_of(id, skip);
            for (std::uint32_t capacity = 0; capacity < whole.size() + 40; ++capacity) {
                std::string expected;
                std::size_t taken = 0;
                while (taken < ids.size() && expected.size() + bytes_of(ids[taken], skip)->size() <= capacity) {
                    expected += *bytes_of(ids[taken++], skip);
                }
                ASSERT_EQ(decode(ids, skip ? CRAYON_DECODE_SKIP_SPECIAL : 0, capacity), u32{CRAYON_OK});
                ASSERT_EQ(written(), expected) << "seed " << seed << " capacity " << capacity;
                ASSERT_EQ(result_.position, taken);
                ASSERT_EQ(result_.more, taken < ids.size());
                ASSERT_TRUE(untouched_after(capacity)) << "seed " << seed << " capacity " << capacity;
            }
        }
    }
}

TEST_F(DecodeTest, ContinuesWhereItStopped) {
    Random random(1);
    Ids ids(5000);
    std::string expected, text;
    for (std::uint32_t& id : ids) expected += *bytes_of(id = random_id(random), false);
    std::uint32_t at = 0;
    Bytes bytes(1000);
    do {
        const std::uint32_t capacity = 300 + static_cast<std::uint32_t>(random.below(700));
        ASSERT_EQ(crayon_decode(tokenizing_.tokenizer(), ids.data() + at, static_cast<std::uint32_t>(ids.size()) - at, 0,
                                bytes.data(), capacity, &result_),
                  u32{CRAYON_OK});
        text.append(bytes.begin(), bytes.begin() + result_.count);
        at += result_.position;
    } while (result_.more);
    EXPECT_EQ(at, ids.size());
    EXPECT_EQ(text, expected);
}

TEST_F(DecodeTest, StopsAtAnInvalidId) {
    const std::uint32_t a = vocabulary().ranks.at("a");
    const auto hole = std::find(vocabulary().tokens.begin(), vocabulary().tokens.end(), "");
    ASSERT_NE(hole, vocabulary().tokens.end());
    const auto size = static_cast<std::uint32_t>(vocabulary().tokens.size());
    for (const std::uint32_t none : {static_cast<std::uint32_t>(hole - vocabulary().tokens.begin()), size, 8999u, 9003u,
                                     0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
        ASSERT_EQ(bytes_of(none, false), nullptr);
        for (const std::uint32_t capacity : {2u, 100u}) {
            EXPECT_EQ(decode({a, a, none, a}, 0, capacity), u32{CRAYON_INVALID_ID});
            EXPECT_EQ(result_.position, 2u);
            EXPECT_EQ(written(), "aa");
            EXPECT_TRUE(untouched_after(capacity));
        }
        // An id beyond the capacity is not checked.
        EXPECT_EQ(decode({a, a, none, a}, 0, 1), u32{CRAYON_OK});
        EXPECT_EQ(result_.position, 1u);
    }
}

TEST_F(DecodeTest, RefusesInvalidBuffers) {
    const Ids ids = {vocabulary().ranks.at("a")};
    EXPECT_EQ(crayon_decode(tokenizing_.tokenizer(), ids.data(), 1, 0, nullptr, 1, &result_), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_decode(tokenizing_.tokenizer(), nullptr, 1, 0, nullptr, 0, &result_), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_decode(nullptr, ids.data(), 1, 0, nullptr, 0, &result_), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_decode(tokenizing_.tokenizer(), nullptr, 0, 0, nullptr, 0, &result_), u32{CRAYON_OK});
    EXPECT_EQ(result_.more, 0u);
    // No capacity at all.
    EXPECT_EQ(crayon_decode(tokenizing_.tokenizer(), ids.data(), 1, 0, nullptr, 0, &result_), u32{CRAYON_OK});
    EXPECT_EQ(result_.more, 1u);
    EXPECT_EQ(result_.position, 0u);
}

TEST_F(DecodeTest, StaysInsideWhileTheIdsChange) {
#ifdef __EMSCRIPTEN__
    GTEST_SKIP() << "one thread";
#endif
    Ids ids(2000);
    Random random(3);
    for (std::uint32_t& id : ids) id = random_id(random);
    std::atomic<bool> running{true};
    std::thread other([&] {
        Random values(4);
        while (running) {
            const std::uint32_t id = values.one_in(4) ? 9001 : values.one_in(50) ? 0xFFFFFFFF : random_id(values);
            __atomic_store_n(&ids[values.below(ids.size())], id, __ATOMIC_RELAXED);
        }
    });
    for (std::uint64_t round = 0; round < sample(20000); ++round) {
        const std::uint32_t capacity = static_cast<std::uint32_t>(random.below(20000));
        decode(ids, 0, capacity);
        EXPECT_LE(result_.count, capacity);
        EXPECT_TRUE(untouched_after(capacity));
    }
    running = false;
    other.join();
}

}  // namespace
}  // namespace crayon::test::decode_test
