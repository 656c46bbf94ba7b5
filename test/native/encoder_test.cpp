// Encodes texts that arrive in windows: the ids never depend on where a text is cut, how many ids are read at once, or whether it
// is UTF-8 or UTF-16.
#include <algorithm>

#include "any_tokenizer.h"
#include "kernels.h"
#include "naive/utf.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::encoder_test {
namespace {

using Ids = std::vector<std::uint32_t>;

const std::vector<AddedToken> kAdded = {
    {"<|end|>", 100000}, {"<|endoftext|>", 100001}, {"<|e", 100002, 0}, {"\xE2\x9C\x82", 100003}};

const Vocabulary& vocabulary() {
    static const Vocabulary v = [] {
        Random random(11);
        return random_vocabulary(random, "abet s<|>nd\n", 3000);
    }();
    return v;
}

// By definition: the leftmost added token that counts, and of those that begin there the longest; the text between them piece by
// piece.
struct Definition {
    bool special;
    Tokenizing& between;  // encodes text without added tokens, at once

    Ids operator()(const std::string& text) const {
        Ids ids;
        std::size_t done = 0;
        for (std::size_t at = 0; at < text.size();) {
            const AddedToken* hit = nullptr;
            for (const AddedToken& token : kAdded) {
                const bool counts = special || !(token.flags & CRAYON_ADDED_SPECIAL);
                if (counts && text.compare(at, token.bytes.size(), token.bytes) == 0 &&
                    (!hit || token.bytes.size() > hit->bytes.size())) {
                    hit = &token;
                }
            }
            if (!hit) {
                ++at;
                continue;
            }
            append(ids, between.encode(text.substr(done, at - done)));
            ids.push_back(hit->id);
            done = at += hit->bytes.size();
        }
        append(ids, between.encode(text.substr(done)));
        return ids;
    }
    static void append(Ids& ids, const Ids& more) { ids.insert(ids.end(), more.begin(), more.end()); }
};

std::string random_text(Random& random) {
    std::string text;
    for (std::size_t parts = random.below(12); parts > 0; --parts) {
        switch (random.below(5)) {
            case 0:
                text += kAdded[random.below(kAdded.size())].bytes;
                break;
            case 1:
                text += kAdded[random.below(kAdded.size())].bytes.substr(0, 1 + random.below(6));
                break;
            case 2:
                text.append(random.below(200), "abet s"[random.below(6)]);
                break;
            default:
                text += naive::encode_utf8(TextGenerator(random.next()).characters().substr(0, 60));
                break;
        }
    }
    return text;
}

class EncoderTest : public testing::Test {
protected:
    std::string with_ = compile(vocabulary(), "cl100k", kAdded), without_ = compile(vocabulary(), "cl100k");
};

TEST_F(EncoderTest, WindowsOfBytesNeverMatter) {
    for_each_kernel([&](const Kernel& kernel) {
        Tokenizing tokenizing(with_, kernel.name), between(without_, kernel.name);
        for (std::uint64_t seed = 1; seed <= sample(1500); ++seed) {
            Random random(seed);
            const std::string text = random_text(random);
            const bool special = random.one_in(2);
            const Ids expected = Definition{special, between}(text);
            const std::uint32_t policy = special ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
            ASSERT_EQ(tokenizing.encode(text, policy), expected) << "seed " << seed;

            crayon_result result;
            Ids ids;
            ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
            const std::size_t widest = 1 + random.below(200);
            const std::uint32_t step = static_cast<std::uint32_t>(1 + random.below(9));
            for (std::size_t at = 0, last = 0; !last;) {
                const std::size_t length = std::min(random.below(widest + 1), text.size() - at);
                last = at + length == text.size() && !random.one_in(4);
                ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                                   static_cast<std::uint32_t>(length), last, &result),
                          CRAYON_OK);
                at += length;
                if (!random.one_in(5)) {  // sometimes several windows are fed without reading
                    ASSERT_EQ(tokenizing.read(ids, step, result), CRAYON_OK);
                } else {
                    std::uint32_t one;
                    ASSERT_EQ(crayon_encoder_read(tokenizing.encoder(), &one, 1, &result), CRAYON_OK);
                    ids.insert(ids.end(), &one, &one + result.count);
                }
            }
            ASSERT_EQ(tokenizing.read(ids, step, result), CRAYON_OK);
            ASSERT_EQ(ids, expected) << "seed " << seed;
            ASSERT_EQ(tokenizing.decode(ids), text) << "seed " << seed;
        }
    });
}

TEST_F(EncoderTest, WindowsOfUnitsNeverMatter) {
    for_each_kernel([&](const Kernel& kernel) {
        Tokenizing tokenizing(with_, kernel.name);
        for (std::uint64_t seed = 1; seed <= sample(1500); ++seed) {
            Random random(seed);
            const std::u16string units = TextGenerator(random.next()).utf16();
            const Ids expected = tokenizing.encode(naive::utf8_of_utf16(units));
            crayon_result result;
            Ids ids;
            ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result), CRAYON_OK);
            for (std::size_t at = 0, last = 0; !last;) {
                const std::size_t length = std::min(random.below(40), units.size() - at);
                last = at + length == units.size() && !random.one_in(3);
                ASSERT_EQ(
                    crayon_encoder_feed_utf16(tokenizing.encoder(), reinterpret_cast<const std::uint16_t*>(units.data()) + at,
                                              static_cast<std::uint32_t>(length), last, &result),
                    CRAYON_OK);
                at += length;
                ASSERT_EQ(tokenizing.read(ids, 7, result), CRAYON_OK);
            }
            ASSERT_EQ(ids, expected) << "seed " << seed;
        }
    });
}

TEST_F(EncoderTest, BytesThatAreNotUtf8AreKept) {
    Tokenizing tokenizing(with_);
    for (std::uint64_t seed = 1; seed <= sample(3000); ++seed) {
        Random random(seed);
        std::string text = TextGenerator(random.next()).utf8();
        for (std::size_t n = random.below(12); n > 0 && !text.empty(); --n)
            text[random.below(text.size())] = static_cast<char>(random.next());
        ASSERT_EQ(tokenizing.decode(tokenizing.encode(text)), text) << "seed " << seed;
    }
}

TEST_F(EncoderTest, CountsTheIdsItWouldWrite) {
    Tokenizing tokenizing(with_);
    for (std::uint64_t seed = 1; seed <= sample(500); ++seed) {
        Random random(seed);
        const std::string text = random_text(random);
        const std::size_t expected = tokenizing.encode(text, CRAYON_SPECIAL_ALLOW).size();
        crayon_result result;
        const auto start = [&] {
            ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), CRAYON_OK);
            ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()),
                                               static_cast<std::uint32_t>(text.size()), 1, &result),
                      CRAYON_OK);
        };
        start();
        ASSERT_EQ(crayon_encoder_count(tokenizing.encoder(), 0xFFFFFFFF, &result), CRAYON_OK);
        ASSERT_EQ(result.count, expected);
        ASSERT_EQ(result.more, 0u);
        start();
        std::size_t total = 0;
        do {
            const std::uint32_t limit = static_cast<std::uint32_t>(1 + random.below(20));
            ASSERT_EQ(crayon_encoder_count(tokenizing.encoder(), limit, &result), CRAYON_OK);
            ASSERT_TRUE(!result.more || result.count >= limit);
            total += result.count;
        } while (result.more);
        ASSERT_EQ(total, expected);
    }
}

TEST_F(EncoderTest, PromisesNoMoreTokensThanTheTextWillHave) {
    Tokenizing tokenizing(with_);
    std::size_t longest = 0, promised = 0;
    for (const std::string& token : vocabulary().tokens) longest = std::max(longest, token.size());
    for (const AddedToken& token : kAdded) longest = std::max(longest, token.bytes.size());
    for (std::uint64_t seed = 1; seed <= sample(500); ++seed) {
        Random random(seed);
        const std::string text = random_text(random) + std::string(random.below(500), 'a') + random_text(random);
        const std::size_t total = tokenizing.encode(text, CRAYON_SPECIAL_ALLOW).size();
        crayon_result result;
        ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), CRAYON_OK);
        std::size_t counted = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = std::min(1 + random.below(300), text.size() - at);
            ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                               static_cast<std::uint32_t>(length), at + length == text.size(), &result),
                      CRAYON_OK);
            at += length;
            ASSERT_EQ(crayon_encoder_count(tokenizing.encoder(), 0xFFFFFFFF, &result), CRAYON_OK);
            counted += result.count;
            const std::size_t pending = crayon_encoder_pending_tokens(tokenizing.encoder());
            ASSERT_LE(counted + pending, total) << "seed " << seed;
            promised = std::max(promised, pending);
        }
        ASSERT_EQ(crayon_encoder_pending_tokens(tokenizing.encoder()), 0u);
        ASSERT_EQ(counted, total);
    }
    EXPECT_GE(promised, 500 / longest / 2);
}

// The ids decode to the text up to there.
TEST_F(EncoderTest, TellsWhereTheIdsEnd) {
    Tokenizing tokenizing(with_);
    std::size_t behind = 0;
    for (std::uint64_t seed = 1; seed <= sample(500); ++seed) {
        Random random(seed);
        const std::string text = random_text(random) + random_text(random);
        crayon_result result;
        Ids ids;
        ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), CRAYON_OK);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = std::min(1 + random.below(100), text.size() - at);
            ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                               static_cast<std::uint32_t>(length), at + length == text.size(), &result),
                      CRAYON_OK);
            at += length;
            ASSERT_EQ(tokenizing.read(ids, 100, result), CRAYON_OK);
            ASSERT_EQ(crayon_encoder_position(tokenizing.encoder(), &result), CRAYON_OK);
            ASSERT_EQ(tokenizing.decode(ids), text.substr(0, result.position)) << "seed " << seed;
            ASSERT_EQ(result.position_high, 0u);
            behind += result.position < at;
            ASSERT_TRUE(at < text.size() || result.position == at);
        }
    }
    EXPECT_GT(behind, 0u);
    crayon_result result;
    EXPECT_EQ(crayon_encoder_position(nullptr, &result), static_cast<crayon_status>(CRAYON_INVALID_ARGUMENT));
}

TEST_F(EncoderTest, ForbiddenTokensAreReportedWhereTheyBegin) {
    Tokenizing tokenizing(with_);
    crayon_result result;
    Ids ids;
    const std::string text = std::string(70000, 'a') + " \xC3\xA9 <|endoftext|> b";
    ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_FORBID, nullptr, 0, &result), CRAYON_OK);
    crayon_status status = CRAYON_OK;
    for (std::size_t at = 0; at < text.size() && status == CRAYON_OK; at += 1000) {
        const std::size_t length = std::min<std::size_t>(1000, text.size() - at);
        ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                           static_cast<std::uint32_t>(length), at + length == text.size(), &result),
                  CRAYON_OK);
        status = tokenizing.read(ids, 100, result);
    }
    EXPECT_EQ(status, static_cast<crayon_status>(CRAYON_SPECIAL_FORBIDDEN));
    EXPECT_EQ(result.position, 70004u);
    EXPECT_EQ(result.position_high, 0u);
    // The same encoder then encodes another text.
    EXPECT_EQ(tokenizing.decode(tokenizing.encode("<|endoftext|>")), "<|endoftext|>");
}

// This makes the failure of a count that stops early independent of the windows.
TEST_F(EncoderTest, ForbiddenTokensComeAfterTheTextBeforeThem) {
    Tokenizing tokenizing(with_);
    const std::string before = "a b ab ba e t s", text = before + "<|end|> ab";
    const std::uint32_t tokens = static_cast<std::uint32_t>(tokenizing.encode(before, CRAYON_SPECIAL_FORBID).size());
    ASSERT_GT(tokens, 3u);
    for (std::size_t window = 1; window <= text.size(); ++window) {
        for (std::uint32_t limit = 1; limit <= tokens + 1; ++limit) {
            crayon_result result;
            ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_FORBID, nullptr, 0, &result), CRAYON_OK);
            std::uint32_t counted = 0;
            for (std::size_t at = 0; at < text.size() && counted < limit && result.status == CRAYON_OK; at += window) {
                const std::size_t length = std::min(window, text.size() - at);
                ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                                   static_cast<std::uint32_t>(length), at + length == text.size(), &result),
                          CRAYON_OK);
                do {
                    crayon_encoder_count(tokenizing.encoder(), limit - counted, &result);
                    counted += result.count;
                } while (result.more && counted < limit);
            }
            ASSERT_EQ(result.status, limit <= tokens ? CRAYON_OK : CRAYON_SPECIAL_FORBIDDEN) << window << " " << limit;
            ASSERT_EQ(result.position, limit <= tokens ? 0 : before.size());
        }
    }
}

// However a text is read, the ids before a failure come first, in one read or in many.
TEST(Encoder, IdsBeforeAFailureAreReadBeforeIt) {
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= sample(300, AnyTokenizer::kKindCount); ++seed) {
        Random random(seed);
        const AnyTokenizer made(random, AnyTokenizer::kKinds[seed % AnyTokenizer::kKindCount]);
        Tokenizing own(made.cartridge);
        for (int n = 0; n < 6; ++n) {
            const std::string text = made.text(random, random.below(300));
            // 0 … 3: with offsets in this unit; 4: without; 5: counted.
            const auto read = [&](std::uint32_t how, std::uint32_t capacity) {
                Encoded all;
                crayon_result result;
                EXPECT_EQ(crayon_encoder_begin(own.encoder(), CRAYON_SPECIAL_FORBID, nullptr, 0, &result), CRAYON_OK);
                crayon_encoder_feed_utf8(own.encoder(), bytes_of(text), static_cast<std::uint32_t>(text.size()), 1, &result);
                std::vector<std::uint32_t> ids(capacity), offsets(2 * capacity);
                do {
                    all.status = how == 5   ? crayon_encoder_count(own.encoder(), capacity, &result)
                                 : how == 4 ? crayon_encoder_read(own.encoder(), ids.data(), capacity, &result)
                                            : crayon_encoder_read_with_offsets(own.encoder(), ids.data(), offsets.data(),
                                                                               capacity, how, &result);
                    if (all.status != CRAYON_OK) break;
                    if (how == 5) ids.assign(result.count, 0);
                    all.ids.insert(all.ids.end(), ids.begin(), ids.begin() + result.count);
                } while (result.more);
                all.position = result.position;
                return all;
            };
            const Encoded one_by_one = read(4, 1);
            for (std::uint32_t how = 0; how < 6; ++how) {
                SCOPED_TRACE("seed " + std::to_string(seed) + ", text " + std::to_string(n) + ", read in way " +
                             std::to_string(how));
                Encoded at_once = read(how, 2000);
                if (how == 5 && at_once.ids.size() == one_by_one.ids.size()) at_once.ids = one_by_one.ids;
                ASSERT_EQ(at_once.ids, one_by_one.ids);
                ASSERT_EQ(at_once.status, one_by_one.status);
                ASSERT_TRUE(at_once.status == CRAYON_OK || at_once.position == one_by_one.position);
                failed += at_once.status != CRAYON_OK;
            }
        }
    }
    EXPECT_GT(failed, at_least(1000));
}

TEST_F(EncoderTest, OnlyListedTokensCount) {
    Tokenizing tokenizing(with_);
    crayon_result result;
    const std::uint32_t end_of_text = 100001, unknown[] = {100001, 5};
    const std::string text = "a<|endoftext|>b\xE2\x9C\x82";
    ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_LISTED, &end_of_text, 1, &result), CRAYON_OK);
    ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()),
                                       static_cast<std::uint32_t>(text.size()), 1, &result),
              CRAYON_OK);
    Ids ids;
    ASSERT_EQ(tokenizing.read(ids, 100, result), CRAYON_OK);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), end_of_text), 1);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 100003u), 0);
    EXPECT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_LISTED, unknown, 2, &result),
              static_cast<crayon_status>(CRAYON_UNKNOWN_SPECIAL));
    EXPECT_EQ(result.position, 1u);
}

TEST_F(EncoderTest, DecodesAndNamesTokens) {
    Tokenizing tokenizing(with_);
    crayon_result result;
    std::uint32_t length;
    const Ids ids = {vocabulary().ranks.at("a"), 100001, vocabulary().ranks.at("b")};
    EXPECT_EQ(tokenizing.decode(ids), "a<|endoftext|>b");
    EXPECT_EQ(tokenizing.decode(ids, CRAYON_DECODE_SKIP_SPECIAL), "ab");
    const Ids wrong = {ids[0], ids[2], 100004};
    EXPECT_EQ(crayon_decode_length(tokenizing.tokenizer(), wrong.data(), 3, 0, &result),
              static_cast<crayon_status>(CRAYON_INVALID_ID));
    EXPECT_EQ(result.position, 2u);
    for (std::uint32_t id = 0; id < vocabulary().tokens.size(); ++id) {
        const std::string& token = vocabulary().tokens[id];
        const std::uint8_t* bytes = crayon_tokenizer_token_bytes(tokenizing.tokenizer(), id, &length);
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(bytes ? bytes : nullptr), bytes ? length : 0), token);
        if (!token.empty()) {
            ASSERT_EQ(crayon_tokenizer_id_of(tokenizing.tokenizer(), reinterpret_cast<const std::uint8_t*>(token.data()),
                                             static_cast<std::uint32_t>(token.size())),
                      id);
        }
    }
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizing.tokenizer(), reinterpret_cast<const std::uint8_t*>("<|end|>"), 7), 100000u);
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizing.tokenizer(), reinterpret_cast<const std::uint8_t*>("zzzzzz"), 6), 0xFFFFFFFFu);
}

}  // namespace
}  // namespace crayon::test::encoder_test
