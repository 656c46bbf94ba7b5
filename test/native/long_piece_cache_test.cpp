// The cache of longer pieces: a lookup returns what was stored for exactly these bytes.
#include "model/long_piece_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate_text.h"
#include "memory_limit.h"

namespace crayon::test::long_piece_cache_test {
namespace {

// A piece followed by arbitrary bytes.
std::string padded(const std::string& piece, char after) { return piece + std::string(LongPieceCache::kPadding, after); }

void keep(LongPieceCache& cache, const std::string& piece, const std::vector<u32>& ids) {
    const std::string text = padded(piece, 'x');
    cache.keep(reinterpret_cast<const u8*>(text.data()), static_cast<u32>(piece.size()), ids.data(),
               static_cast<u32>(ids.size()));
}
// {} if the piece is absent: every piece has ids.
std::vector<u32> find(const LongPieceCache& cache, const std::string& piece, char after = 'x') {
    const std::string text = padded(piece, after);
    const u8* const bytes = reinterpret_cast<const u8*>(text.data());
    const u32 length = static_cast<u32>(piece.size());
    const LongPieceCache::Found found = cache.find(bytes, length);
    // A batched lookup gives the same result.
    LongPieceCache::Location locations[3] = {{1, 0, 0}, {LongPieceCache::hash_of(bytes, length), 0, 0}, {~u64{0}, 0, 0}};
    cache.locate(locations, 3);
    const LongPieceCache::Found located = cache.find(bytes, length, locations[1]);
    EXPECT_EQ(found.ids, located.ids);
    EXPECT_EQ(found.count, located.count);
    return std::vector<u32>(found.ids, found.ids + found.count);
}

TEST(LongPieceCache, IsEmptyAtFirst) {
    LongPieceCache cache;
    EXPECT_TRUE(find(cache, "a").empty());
    EXPECT_EQ(cache.memory(), 0u);
}

TEST(LongPieceCache, BytesAndLengthAreTheKey) {
    LongPieceCache cache;
    for (u32 length = 1; length <= LongPieceCache::kLongestPiece; ++length) {
        const std::string piece(length, '\0');
        ASSERT_TRUE(find(cache, piece).empty()) << length;
        keep(cache, piece, std::vector<u32>(length, length));
        EXPECT_EQ(find(cache, piece, '\0'), std::vector<u32>(length, length));
        EXPECT_EQ(find(cache, piece, '\xFF'), std::vector<u32>(length, length));
        for (u32 at = 0; at < length; ++at) {
            std::string other = piece;
            other[at] = 1;
            ASSERT_TRUE(find(cache, other).empty()) << length << " " << at;
        }
    }
    for (u32 length = 1; length <= LongPieceCache::kLongestPiece; ++length) {
        EXPECT_EQ(find(cache, std::string(length, '\0')), std::vector<u32>(length, length));
    }
}

// A piece that was located before the cache changed is checked again.
TEST(LongPieceCache, ALocationMayBeOld) {
    LongPieceCache cache;
    const std::string first = padded("the piece that was kept first", 'x'), second = padded("another one, of its length...", 'x');
    const u8* const bytes[2] = {reinterpret_cast<const u8*>(first.data()), reinterpret_cast<const u8*>(second.data())};
    const u32 length = static_cast<u32>(first.size() - LongPieceCache::kPadding);
    ASSERT_EQ(first.size(), second.size());
    LongPieceCache::Location location{LongPieceCache::hash_of(bytes[0], length), 0, 0};
    cache.locate(&location, 1);
    const u32 ids[2] = {1, 2};
    cache.keep(bytes[0], length, ids, 2);
    EXPECT_EQ(cache.find(bytes[0], length, location).count, 2u);  // it was nowhere then
    cache.locate(&location, 1);
    EXPECT_EQ(cache.find(bytes[1], length, location).count, 0u);  // the location of another piece
    location.head ^= 1;
    EXPECT_EQ(cache.find(bytes[0], length, location).count, 2u);  // the record has changed since
}

// A record stays in place until the cache is cleared.
TEST(LongPieceCache, ARecordIsFoundAgainByItsVersion) {
    LongPieceCache cache;
    keep(cache, "first", {1, 2, 3, 4});
    keep(cache, "another one", {5, 6, 7, 8, 9});
    const std::string text = "another one" + std::string(LongPieceCache::kPadding, '!');
    const LongPieceCache::Found found = cache.find(reinterpret_cast<const u8*>(text.data()), 11);
    ASSERT_EQ(found.count, 5u);
    const u64 version = cache.all().version;
    const LongPieceCache::Found again = cache.at(found.record, version);
    ASSERT_EQ(again.count, 5u);
    EXPECT_EQ(again.ids, found.ids);
    EXPECT_EQ(cache.all().ids_at(found.record, 11), found.ids);
    EXPECT_EQ(cache.at(found.record, version + 1).count, 0u);
    cache.release();
    EXPECT_EQ(cache.at(found.record, version).count, 0u);
    EXPECT_NE(cache.all().version, version);
}

// It grows and keeps nearly all pieces; when full, it rejects new ones for a while, then starts over, and never returns a wrong
// result.
TEST(LongPieceCache, GrowsAndStartsOver) {
    LongPieceCache cache;
    Random random(10);
    std::map<std::string, std::vector<u32>> kept;
    constexpr u32 kMany = 30000, kAll = 250000;
    std::size_t most = 0;
    u32 refused_first = 0;
    bool taken = false, taken_again = false;
    for (u32 i = 0; i < kAll; ++i) {
        std::string piece = std::to_string(i);
        for (std::size_t length = 16 + random.below(60); piece.size() < length;) piece += "ab\0"[random.below(3)];
        std::vector<u32>& ids = kept[piece];
        ids.assign(1 + random.below(20), i);
        ASSERT_TRUE(find(cache, piece).empty());
        keep(cache, piece, ids);
        taken = !find(cache, piece).empty();
        if (!taken && refused_first == 0) refused_first = i;
        taken_again |= taken && refused_first > 0;
        most = std::max(most, cache.memory());
        if (i + 1 != kMany && i + 1 != kAll) continue;
        std::size_t found = 0;
        for (const auto& [before, expected] : kept) {
            const std::vector<u32> got = find(cache, before);
            if (got.empty()) continue;
            ASSERT_EQ(got, expected);
            ++found;
        }
        if (i + 1 == kMany) {
            EXPECT_GT(found, kMany * 99 / 100);
        }
        if (i + 1 == kAll) {
            EXPECT_GT(found, kAll / 20);
            EXPECT_LT(found, kAll / 2);
        }
    }
    EXPECT_GT(refused_first, kMany);
    EXPECT_TRUE(taken_again);
    EXPECT_EQ(most, std::size_t{9} << 20);
}

// --- under a higher limit ---

// Pieces of many lengths, each with its own ids.
struct Pieces {
    std::vector<std::string> all;
    static std::vector<u32> ids_of(u32 i) { return std::vector<u32>(1 + i % 20, i); }

    explicit Pieces(u32 count) {
        Random random(10);
        for (u32 i = 0; i < count; ++i) {
            std::string piece = std::to_string(i);
            for (std::size_t length = 16 + random.below(60); piece.size() < length;) piece += "ab\0"[random.below(3)];
            all.push_back(piece);
        }
    }
    // Stores misses, like an encoder; returns the number of hits.
    u32 ask(LongPieceCache& cache, u32 first, u32 end) const {
        u32 found = 0;
        for (u32 i = first; i < end; ++i) {
            const std::vector<u32> ids = find(cache, all[i]);
            if (ids.empty()) {
                keep(cache, all[i], ids_of(i));
                continue;
            }
            EXPECT_EQ(ids, ids_of(i));
            ++found;
        }
        return found;
    }
};
constexpr u32 kRoom = 60000;  // fewer than fit in kMostMemory, and more than half as many

// Pieces that occur once neither make it grow nor evict anything; repeated ones make it grow, and all stored pieces are found
// while the index moves.
TEST(LongPieceCache, GrowsForRepeatedPieces) {
    if (!LongPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    LongPieceCache cache;
    constexpr std::size_t kLimit = std::size_t{40} << 20;
    cache.set_limit(kLimit);
    constexpr u32 kAll = 160000;
    const Pieces pieces(kAll);
    pieces.ask(cache, 0, kAll);
    EXPECT_GT(pieces.ask(cache, 0, kRoom), kRoom * 99 / 100);
    EXPECT_LT(cache.memory(), LongPieceCache::kMostMemory + (std::size_t{1} << 20));
    std::size_t most = 0;
    bool has_grown = false;
    for (u32 round = 0; round < 3; ++round) {
        for (u32 i = 0; i < kAll; i += 1000) {
            pieces.ask(cache, i, i + 1000);
            most = std::max(most, cache.memory());
            if (has_grown || cache.memory() < std::size_t{12} << 20) continue;
            has_grown = true;
            EXPECT_GT(pieces.ask(cache, 30000, 31000), 990u);
        }
    }
    EXPECT_GT(pieces.ask(cache, 0, kAll), kAll * 98 / 100);
    EXPECT_GT(cache.memory(), std::size_t{16} << 20);
    EXPECT_LE(most, kLimit);
    // A lower limit releases the memory.
    cache.set_limit(1 << 20);
    EXPECT_EQ(cache.memory(), 0u);
    EXPECT_EQ(pieces.ask(cache, 0, 10), 0u);
    EXPECT_EQ(pieces.ask(cache, 0, 10), 10u);
}

// In the ring, pieces that are found repeatedly stay, and the rest is evicted piece by piece.
TEST(LongPieceCache, WhenFullEvictsPieceByPiece) {
    if (!LongPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    LongPieceCache cache;
    constexpr std::size_t kLimit = std::size_t{12} << 20;
    cache.set_limit(kLimit);
    constexpr u32 kAll = 180000, kHot = 1000;
    const Pieces pieces(kAll + kHot);
    u32 least = kHot, found = 0;
    for (u32 round = 0; round < 4; ++round) {
        found = 0;
        for (u32 i = 0; i < kAll; i += 4000) {
            found += pieces.ask(cache, i, i + 4000);
            const u32 hot = pieces.ask(cache, kAll, kAll + kHot);
            if (round > 1) least = std::min(least, hot);
        }
    }
    EXPECT_GT(found, kAll / 10);  // a text that is larger than the cache, twice
    EXPECT_GT(least, kHot * 95 / 100);
    EXPECT_LE(cache.memory(), kLimit);
}

TEST(LongPieceCache, WithoutMemoryStaysUnchanged) {
    if (!LongPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    LongPieceCache cache;
    cache.set_limit(std::size_t{120} << 20);
    constexpr u32 kAll = 200000;
    const Pieces pieces(kAll);
    {
        const MemoryLimit limit(std::size_t{40} << 20);
        if (!limit.works()) GTEST_SKIP() << "memory cannot be limited";
        for (u32 round = 0; round < 4; ++round) pieces.ask(cache, 0, kAll);
        EXPECT_LT(cache.memory(), std::size_t{10} << 20);
        EXPECT_GT(pieces.ask(cache, 0, kAll), 50000u);
    }
    for (u32 round = 0; round < 4; ++round) pieces.ask(cache, 0, kAll);
    EXPECT_GT(cache.memory(), std::size_t{20} << 20);
    EXPECT_GT(pieces.ask(cache, 0, kAll), kAll * 98 / 100);
}

// Whatever the limit, a lookup of any length finds the right ids or nothing, never others. A piece may contain bytes that look
// like a record.
TEST(LongPieceCache, NeverReturnsAnotherPiecesIds) {
    for (const u64 limit : {u64{0}, u64{6000}, u64{20000}, u64{100000}, u64{12} << 20}) {
        SCOPED_TRACE(limit);
        LongPieceCache cache;
        cache.set_limit(limit);
        Random random(limit + 1);
        const Pieces pieces(3000);
        std::vector<std::string> longest;
        for (u32 i = 0; i < 40; ++i) longest.push_back(std::string(LongPieceCache::kLongestPiece, static_cast<char>('a' + i)));
        u32 found = 0;
        for (u32 round = 0; round < 20000; ++round) {
            const u32 i = static_cast<u32>(random.below(random.one_in(3) ? 3000 : 40));
            found += pieces.ask(cache, i, i + 1);
            if (!random.one_in(10)) continue;
            const u32 k = static_cast<u32>(random.below(random.one_in(3) ? 40 : 2));
            const std::vector<u32> ids = find(cache, longest[k]);
            if (ids.empty()) {
                keep(cache, longest[k], std::vector<u32>(LongPieceCache::kLongestPiece, k));
            } else {
                ASSERT_EQ(ids, std::vector<u32>(LongPieceCache::kLongestPiece, k));
            }
        }
        EXPECT_GT(found, 300u);
        if (LongPieceCache::kGrows) {
            EXPECT_LE(cache.memory(), std::max<u64>(limit, 9 * 1024) + 2 * 4096);  // in whole pages under sanitizers
        }
    }
}

// In the ring, a location may point inside a record written since: it is then ignored, whatever is there.
TEST(LongPieceCache, ALocationInTheRingMayBeOld) {
    if (!LongPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    LongPieceCache cache;
    cache.set_limit(std::size_t{12} << 20);
    constexpr u32 kAll = 200000;
    const Pieces pieces(kAll);
    for (u32 round = 0; round < 2; ++round) pieces.ask(cache, 0, kAll);
    std::vector<std::string> texts;
    std::vector<LongPieceCache::Location> locations;
    for (u32 i = 0; i < 2000; ++i) {
        const std::string& piece = pieces.all[i];
        texts.push_back(padded(piece, 'x'));
        const u64 hash =
            LongPieceCache::hash_of(reinterpret_cast<const u8*>(texts.back().data()), static_cast<u32>(piece.size()));
        locations.push_back({hash, 0, 0});
    }
    cache.locate(locations.data(), static_cast<u32>(locations.size()));
    for (u32 round = 0; round < 3; ++round) pieces.ask(cache, 2000, kAll);
    for (u32 i = 0; i < 2000; ++i) {
        const u32 length = static_cast<u32>(pieces.all[i].size());
        const LongPieceCache::Found found = cache.find(reinterpret_cast<const u8*>(texts[i].data()), length, locations[i]);
        if (found.count == 0) continue;
        ASSERT_EQ(std::vector<u32>(found.ids, found.ids + found.count), Pieces::ids_of(i));
    }
}

}  // namespace
}  // namespace crayon::test::long_piece_cache_test
