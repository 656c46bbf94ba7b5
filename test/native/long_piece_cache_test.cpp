// The cache of longer pieces: what is found is what was kept for exactly these bytes.
#include "model/long_piece_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "generate_text.h"

namespace crayon::test::long_piece_cache_test {
namespace {

// A piece followed by arbitrary bytes.
std::string padded(const std::string& piece, char after) { return piece + std::string(LongPieceCache::kPadding, after); }

void keep(LongPieceCache& cache, const std::string& piece, const std::vector<u32>& ids) {
    cache.keep(reinterpret_cast<const u8*>(piece.data()), static_cast<u32>(piece.size()), ids.data(),
               static_cast<u32>(ids.size()));
}
// {} if the piece is not there: no piece has no ids.
std::vector<u32> find(const LongPieceCache& cache, const std::string& piece, char after = 'x') {
    const std::string text = padded(piece, after);
    const u8* const bytes = reinterpret_cast<const u8*>(text.data());
    const u32 length = static_cast<u32>(piece.size());
    const LongPieceCache::Found found = cache.find(bytes, length);
    // Looked up together with others, the result is the same.
    LongPieceCache::Location locations[3] = {{1, 0, 0}, {LongPieceCache::hash_of(bytes, length), 0, 0}, {~u64{0}, 0, 0}};
    cache.locate(locations, 3);
    const LongPieceCache::Found located = cache.find(bytes, length, locations[1]);
    EXPECT_EQ(found.ids, located.ids);
    EXPECT_EQ(found.count, located.count);
    return std::vector<u32>(found.ids, found.ids + found.count);
}

TEST(LongPieceCache, AnEmptyOneHasNothing) {
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

// It grows and keeps nearly all pieces; when it is full, it takes no more for a while, then starts over, and is never
// wrong.
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

}  // namespace
}  // namespace crayon::test::long_piece_cache_test
