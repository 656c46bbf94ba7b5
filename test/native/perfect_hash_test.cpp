// The builder of one-probe tables: every key has its own slot, whatever the keys are.
#include "tables/perfect_hash_builder.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "generate_text.h"
#include "read_sections.h"
#include "share.h"

namespace crayon::test::perfect_hash_test {
namespace {

using Keys = std::vector<u64>;

Status build_words(PerfectHashBuilder& builder, const Keys& keys) {
    return builder.build(static_cast<u32>(keys.size()), [&](u32 i, u64 seed) { return hash_of_word(keys[i], 8, seed); });
}

// The first property that the table of these words violates; empty if none. Regular keys may take up to `slack` slots
// each.
std::string broken_promise(const Keys& keys, double slack = 10.0 / 9) {
    PerfectHashBuilder builder;
    const Status status = build_words(builder, keys);
    if (!status.ok()) return "status " + std::to_string(status.code);
    const layout::PerfectHash header = builder.header();
    if (header.key_count != keys.size()) return "key_count";
    if (header.bucket_count < 1 || header.slot_count < 1) return "no bucket or no slot";
    const double per_key = static_cast<double>(keys.size());
    if (header.slot_count > per_key * slack + 2) return "slots " + std::to_string(header.slot_count / per_key);
    if (header.bucket_count > per_key * slack / 2 + 2) return "pilots " + std::to_string(header.bucket_count / per_key);
    std::vector<bool> taken(header.slot_count);
    for (u32 i = 0; i < keys.size(); ++i) {
        const u64 hash = hash_of_word(keys[i], 8, header.seed);
        const u32 slot = slot_of_hash(hash, builder.pilots(), header.bucket_count, header.slot_count);
        if (slot >= header.slot_count) return "a slot outside the table";
        if (taken[slot]) return "two keys in one slot";
        taken[slot] = true;
        if (builder.slot(i) != slot) return "slot() is not the slot";
        if (builder.hash(i) != hash) return "hash() is not the hash";
    }
    return "";
}

Keys random_keys(u64 seed, std::size_t count) {
    Random random(seed);
    std::set<u64> drawn;
    Keys keys;
    while (keys.size() < count) {
        const u64 key = random.next();
        if (drawn.insert(key).second) keys.push_back(key);
    }
    return keys;
}

TEST(PerfectHash, NoKeys) {
    PerfectHashBuilder builder;
    ASSERT_TRUE(build_words(builder, {}).ok());
    EXPECT_EQ(builder.header().key_count, 0u);
    EXPECT_EQ(builder.header().bucket_count, 1u);
    EXPECT_EQ(builder.header().slot_count, 1u);
    EXPECT_EQ(builder.pilots()[0], 0);
}

TEST(PerfectHash, EverySmallSize) {
    for (std::size_t count = 1; count <= 1500; ++count) {
        ASSERT_EQ(broken_promise(random_keys(count, count)), "") << "seed and count " << count;
    }
}

TEST(PerfectHash, ManyTinyTables) {
    for (u64 seed = 1; seed <= 4000; ++seed) {
        ASSERT_EQ(broken_promise(random_keys(seed, 1 + seed % 12)), "") << "seed " << seed;
    }
}

TEST(PerfectHash, LargeTables) {
    for (std::size_t count : {10'000, 150'000, 600'000}) {
        if (count > 150'000 && share() < 0.25) continue;
        ASSERT_EQ(broken_promise(random_keys(count, count)), "") << "seed and count " << count;
    }
}

// Keys that differ in a few bytes only. The hash is a multiplication, so some of them stay regular.
constexpr double kGridSlack = 4;

TEST(PerfectHash, KeysThatDifferInOneOrTwoBytes) {
    for (int shift = 0; shift < 64; shift += 8) {
        Keys one;
        for (u64 byte = 0; byte < 256; ++byte) one.push_back(0x6867666564636261 ^ byte << shift);
        EXPECT_EQ(broken_promise(one, kGridSlack), "") << "byte at bit " << shift;
        for (int other = shift + 8; other < 64; other += 8) {
            if (!in_sweep(static_cast<std::uint64_t>((shift + other) / 8))) continue;
            Keys two;
            for (u64 pair = 0; pair < 65536; ++pair) two.push_back((pair & 255) << shift | (pair >> 8) << other);
            EXPECT_EQ(broken_promise(two, kGridSlack), "") << "bytes at bits " << shift << " and " << other;
        }
    }
}

TEST(PerfectHash, ConsecutiveKeysAndGrids) {
    for (u64 step : {u64{1}, u64{3}, u64{256}, u64{1} << 20, u64{1} << 32, (u64{1} << 32) + 1}) {
        Keys keys;
        for (u64 i = 0; i < sample(50'000, 8'000); ++i) keys.push_back(i * step);
        EXPECT_EQ(broken_promise(keys, kGridSlack), "") << "step " << step;
    }
    Keys grid;
    for (u64 left = 0; left < 200; ++left) {
        for (u64 right = 0; right < 200; ++right) grid.push_back(left | right << 32);
    }
    EXPECT_EQ(broken_promise(grid, kGridSlack), "");
}

TEST(PerfectHash, TheSameKeysGiveTheSameTable) {
    const Keys keys = random_keys(5, 20'000);
    PerfectHashBuilder fresh, used;
    ASSERT_TRUE(build_words(used, random_keys(6, 50'000)).ok());
    ASSERT_TRUE(build_words(used, keys).ok());
    ASSERT_TRUE(build_words(fresh, keys).ok());
    ASSERT_EQ(used.header().bucket_count, fresh.header().bucket_count);
    EXPECT_EQ(used.header().seed, fresh.header().seed);
    EXPECT_EQ(Bytes(used.pilots(), used.pilots() + used.header().bucket_count),
              Bytes(fresh.pilots(), fresh.pilots() + fresh.header().bucket_count));
}

TEST(PerfectHash, EqualKeysAreRefused) {
    Keys keys = random_keys(9, 1000);
    keys[900] = keys[7];
    PerfectHashBuilder builder;
    EXPECT_EQ(build_words(builder, keys).code, u32{CRAYON_BUILD_FAILED});
}

// A seed with which two keys have the same hash is skipped.
TEST(PerfectHash, TriesSeedsUntilOneWorks) {
    const Keys keys = random_keys(11, 100);
    PerfectHashBuilder builder;
    std::set<u64> seeds;
    const Status status = builder.build(100, [&](u32 i, u64 seed) {
        seeds.insert(seed);
        return hash_of_word(seeds.size() < 5 && i == 99 ? keys[3] : keys[i], 8, seed);
    });
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(seeds.size(), 5u);
    std::set<u32> slots;
    for (u32 i = 0; i < 100; ++i) slots.insert(builder.slot(i));
    EXPECT_EQ(slots.size(), 100u);
}

}  // namespace
}  // namespace crayon::test::perfect_hash_test
