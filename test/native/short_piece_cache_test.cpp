// The cache of short pieces: a lookup returns what was stored for exactly these bytes.
#include "model/short_piece_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate_text.h"
#include "memory_limit.h"
#include "share.h"

namespace crayon::test::short_piece_cache_test {
namespace {

using Key = ShortPieceCache::Key;
using Entry = ShortPieceCache::Entry;

Key key_of(const std::string& piece, char after = '\0') {
    const std::string padded = piece + std::string(16, after);
    return ShortPieceCache::key_of(reinterpret_cast<const u8*>(padded.data()), static_cast<u32>(piece.size()));
}
void keep(ShortPieceCache& cache, const std::string& piece, const std::vector<u32>& ids) {
    const Key key = key_of(piece);
    cache.keep(key, ShortPieceCache::hash_of(key), ids.data(), static_cast<u32>(ids.size()));
}
// {} if the piece is absent: every piece has ids.
std::vector<u32> find(ShortPieceCache& cache, const std::string& piece) {
    const Key key = key_of(piece);
    const Entry* entry = cache.find(key, ShortPieceCache::hash_of(key));
    return entry ? std::vector<u32>(entry->ids, entry->ids + entry->count) : std::vector<u32>();
}
// Whether it has grown beyond its size without a higher limit.
bool is_large(const ShortPieceCache& cache) { return sizeof(Entry) << (64 - cache.table().shift) > ShortPieceCache::kMostMemory; }

TEST(ShortPieceCache, BytesAndLengthAreTheKey) {
    for (std::size_t length = 1; length <= ShortPieceCache::kLongestPiece; ++length) {
        for (const std::string& piece : {std::string(length, '\0'), std::string(length, '\xFF')}) {
            // Bytes after the piece are not part of it.
            EXPECT_TRUE(key_of(piece, '\0') == key_of(piece, '\xFF')) << length;
            EXPECT_FALSE(key_of(piece) == Key{}) << length;
            for (std::size_t at = 0; at < length; ++at) {
                std::string other = piece;
                other[at] ^= 0x40;
                EXPECT_FALSE(key_of(piece) == key_of(other)) << length << " " << at;
            }
            if (length > 1) {
                EXPECT_FALSE(key_of(piece) == key_of(piece.substr(1))) << length;
            }
        }
    }
}

TEST(ShortPieceCache, IsEmptyAtFirst) {
    ShortPieceCache cache;
    EXPECT_EQ(cache.memory(), 0u);
    ASSERT_TRUE(cache.ready());
    EXPECT_TRUE(find(cache, "a").empty());
    EXPECT_TRUE(find(cache, std::string(1, '\0')).empty());
    EXPECT_TRUE(find(cache, std::string(ShortPieceCache::kLongestPiece, '\0')).empty());
}

TEST(ShortPieceCache, EntriesLieInOneCacheLine) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cache.table().entries) % sizeof(Entry), 0u);
}

TEST(ShortPieceCache, MoreIdsThanFitAreNotStored) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    keep(cache, "full", {7, 8, 9});
    keep(cache, "too many", {7, 8, 9, 10});
    EXPECT_EQ(find(cache, "full"), (std::vector<u32>{7, 8, 9}));
    EXPECT_TRUE(find(cache, "too many").empty());
}

TEST(ShortPieceCache, StoresReferencesToPiecesOfMoreIds) {
    if (!ShortPieceCache::kRefers) GTEST_SKIP() << "it has no references";
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    const Key key = key_of("too many");
    const u64 hash = ShortPieceCache::hash_of(key), version = u64{3} << 32 | 4;
    cache.refer(key, hash, 77, 1, 4);
    cache.refer(key, hash, 88, version, 4);
    keep(cache, "full", {7, 8, 9});
    const Entry* const entry = cache.find(key, hash);
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->is_reference());
    EXPECT_EQ(entry->record(), 88u);
    EXPECT_EQ(entry->version(), version);
    EXPECT_EQ(entry->referred(), 4u);
    EXPECT_EQ(find(cache, "full"), (std::vector<u32>{7, 8, 9}));
    EXPECT_FALSE(cache.find(key_of("full"), ShortPieceCache::hash_of(key_of("full")))->is_reference());
}

// However many there are: they do not clear a full cache.
TEST(ShortPieceCache, AReferenceEvictsNothing) {
    ShortPieceCache cache;
    cache.set_limit(0);
    ASSERT_TRUE(cache.ready());
    u32 kept = 0;
    for (; kept < 150; ++kept) keep(cache, std::to_string(kept), {kept});
    const auto known = [&] {
        u32 count = 0;
        for (u32 i = 0; i < kept; ++i) count += !find(cache, std::to_string(i)).empty();
        return count;
    };
    const u32 before = known();
    for (u32 i = 0; i < 10'000; ++i) {
        const Key key = key_of("x" + std::to_string(i));
        cache.refer(key, ShortPieceCache::hash_of(key), i + 1, 1, 5);
    }
    EXPECT_GT(before, 140u);
    EXPECT_GE(known() + 40, before);  // before it was full, an entry may have replaced another
}

// Pieces of one slot: the nearest slots hold eight of them; after that, each new piece overwrites the first slot.
TEST(ShortPieceCache, ManyOfOneSlotStayNear) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    const ShortPieceCache::Table table = cache.table();
    const Entry* const slot = table.slot(ShortPieceCache::hash_of(key_of("piece 0")));
    std::vector<std::string> same;
    for (u32 i = 0; same.size() < 12; ++i) {
        const std::string piece = "piece " + std::to_string(i);
        if (table.slot(ShortPieceCache::hash_of(key_of(piece))) == slot) same.push_back(piece);
    }
    for (u32 i = 0; i < same.size(); ++i) keep(cache, same[i], {i});
    std::size_t found = 0;
    for (u32 i = 0; i < same.size(); ++i) {
        const std::vector<u32> ids = find(cache, same[i]);
        if (ids.empty()) continue;
        EXPECT_EQ(ids, std::vector<u32>{i});
        ++found;
    }
    EXPECT_EQ(found, 8u);
    EXPECT_EQ(find(cache, same.back()), std::vector<u32>{11});
}

TEST(ShortPieceCache, FindsTheOneBesideTheSlot) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    u32 beside = 0;
    for (u32 i = 0; i < 760; ++i) keep(cache, std::to_string(i), {i});
    for (u32 i = 0; i < 760; ++i) {
        const Key key = key_of(std::to_string(i));
        const u64 hash = ShortPieceCache::hash_of(key);
        const Entry* const slot = cache.table().slot(hash);
        if (slot->key == key || !cache.is_beside(key, hash)) continue;
        EXPECT_TRUE(slot->key == key);
        EXPECT_EQ(slot->ids[0], i);
        ++beside;
    }
    EXPECT_GT(beside, 50u);
    u32 lost = 0;
    for (u32 i = 0; i < 760; ++i) lost += find(cache, std::to_string(i)).empty();
    EXPECT_LT(lost, 20u);  // if more than eight collided
    EXPECT_FALSE(cache.is_beside(key_of("another"), ShortPieceCache::hash_of(key_of("another"))));
}

// A lookup moves an entry to its slot without losing anything.
TEST(ShortPieceCache, ALookupMovesTheEntryToItsSlot) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    constexpr u32 kPieces = 760;
    std::size_t away = 0;
    for (u32 i = 0; i < kPieces; ++i) keep(cache, std::to_string(i), {i});
    for (u32 round = 0; round < 3; ++round) {
        for (u32 i = 0; i < kPieces; ++i) {
            const Key key = key_of(std::to_string(i));
            const u64 hash = ShortPieceCache::hash_of(key);
            if (!(cache.table().slot(hash)->key == key)) ++away;
            if (find(cache, std::to_string(i)).empty()) keep(cache, std::to_string(i), {i});
            ASSERT_EQ(find(cache, std::to_string(i)), std::vector<u32>{i});
            ASSERT_TRUE(cache.table().slot(hash)->key == key);
        }
    }
    EXPECT_GT(away, 100u);
}

// It grows and keeps most entries. When full, it rejects new ones but still finds the stored ones; then it starts over with new
// entries. It never returns a wrong result.
TEST(ShortPieceCache, GrowsAndStartsOver) {
    ShortPieceCache cache;
    ASSERT_TRUE(cache.ready());
    const std::size_t least = cache.memory();
    constexpr u32 kMany = 40000, kRoom = 98304, kAll = 2 * kRoom + 30000;
    const auto found_among = [&](u32 first, u32 end) {
        u32 found = 0;
        for (u32 i = first; i < end; ++i) {
            const std::vector<u32> ids = find(cache, std::to_string(i));
            if (ids.empty()) continue;
            EXPECT_EQ(ids, (std::vector<u32>{i, i + 1}));
            ++found;
        }
        return found;
    };
    for (u32 i = 0; i < kAll; ++i) {
        ASSERT_TRUE(find(cache, std::to_string(i)).empty());
        keep(cache, std::to_string(i), {i, i + 1});
        if (i + 1 == kMany) {
            EXPECT_GT(found_among(0, kMany), kMany * 95 / 100);
        }
        if (i + 1 == 2 * kRoom - 20000) {
            EXPECT_GT(found_among(0, kRoom), kRoom * 80 / 100);
            EXPECT_EQ(found_among(kRoom + 20000, i + 1), 0u);
        }
    }
    EXPECT_EQ(found_among(0, kRoom), 0u);
    EXPECT_GT(found_among(kAll - 5000, kAll), 4500u);
    EXPECT_LT(least, 100'000u);
    EXPECT_EQ(cache.memory(), std::size_t{4} << 20);
}

// --- under a higher limit ---

// Stores misses, like an encoder; returns the number of hits.
u32 ask(ShortPieceCache& cache, u32 first, u32 end) {
    u32 found = 0;
    for (u32 i = first; i < end; ++i) {
        const std::string piece = std::to_string(i);
        const std::vector<u32> ids = find(cache, piece);
        if (ids.empty()) {
            keep(cache, piece, {i, i + 1});
        } else {
            EXPECT_EQ(ids, (std::vector<u32>{i, i + 1}));
            ++found;
        }
    }
    return found;
}
constexpr u32 kRoom = 98304;  // of a table of size kMostMemory

TEST(ShortPieceCache, PiecesThatNeverRepeatDoNotMakeItGrow) {
    if (!ShortPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    ShortPieceCache cache;
    cache.set_limit(std::size_t{64} << 20);
    ASSERT_TRUE(cache.ready());
    ask(cache, 0, kRoom);
    EXPECT_EQ(ask(cache, 10'000'000, 10'000'000 + 3 * kRoom), 0u);
    EXPECT_FALSE(is_large(cache));
    EXPECT_GT(ask(cache, 0, kRoom), kRoom * 8 / 10);  // nor evict anything
    EXPECT_LT(cache.memory(), ShortPieceCache::kMostMemory + (std::size_t{1} << 20));
}

// While entries move to a larger table, all stored ones are found.
TEST(ShortPieceCache, GrowsForRepeatedPieces) {
    if (!ShortPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    ShortPieceCache cache;
    constexpr std::size_t kLimit = std::size_t{48} << 20;
    cache.set_limit(kLimit);
    ASSERT_TRUE(cache.ready());
    constexpr u32 kPieces = 160000;
    std::size_t most = 0;
    bool has_grown = false;
    for (u32 round = 0; round < 3; ++round) {
        for (u32 i = 0; i < kPieces; i += 500) {
            ask(cache, i, i + 500);
            most = std::max(most, cache.memory());
            if (has_grown || !is_large(cache)) continue;
            has_grown = true;
            u32 found = 0;
            for (u32 k = 0; k < 20000; ++k) found += !find(cache, std::to_string(k)).empty();
            EXPECT_GT(found, 15000u);
        }
    }
    EXPECT_TRUE(has_grown);
    EXPECT_LE(most, kLimit);
    EXPECT_GT(ask(cache, 0, kPieces), kPieces * 95 / 100);
    EXPECT_EQ(cache.memory(), std::size_t{16} << 20);  // the previous table is freed
    // A lower limit releases the memory.
    cache.set_limit(ShortPieceCache::kMostMemory);
    EXPECT_EQ(cache.memory(), 0u);
    ASSERT_TRUE(cache.ready());
    EXPECT_EQ(ask(cache, 0, 10), 0u);
    EXPECT_EQ(ask(cache, 0, 10), 10u);
}

// At its maximum size, pieces that are found repeatedly stay, and the rest is evicted piece by piece.
TEST(ShortPieceCache, WhenFullEvictsPieceByPiece) {
    if (!ShortPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    ShortPieceCache cache;
    cache.set_limit(std::size_t{12} << 20);
    ASSERT_TRUE(cache.ready());
    constexpr u32 kFull = 260000, kHot = 2000;
    u32 least = kHot, found = 0;
    for (u32 round = 0; round < 4; ++round) {
        found = 0;
        for (u32 i = 0; i < kFull; i += 5000) {
            found += ask(cache, i, i + 5000);
            const u32 hot = ask(cache, 10'000'000, 10'000'000 + kHot);
            if (round > 1) least = std::min(least, hot);
        }
    }
    EXPECT_TRUE(is_large(cache));
    EXPECT_GT(found, kFull / 8);  // a text that is larger than the cache, twice
    EXPECT_GT(least, kHot * 95 / 100);
    EXPECT_LE(cache.memory(), std::size_t{12} << 20);
}

TEST(ShortPieceCache, StaysWithinAnyLimit) {
    for (const u64 limit : {u64{0}, u64{1}, u64{8192}, u64{20000}, u64{1} << 16, u64{3} << 20, u64{5} << 20, ~u64{0}}) {
        SCOPED_TRACE(limit);
        ShortPieceCache cache;
        cache.set_limit(limit);
        ASSERT_TRUE(cache.ready());
        for (u32 round = 0; round < 2; ++round) ask(cache, 0, 20000);
        if (ShortPieceCache::kGrows) {
            EXPECT_LE(cache.memory(), std::max(limit, u64{8192}));
        }
        u32 found = 0;
        for (u32 round = 0; round < 2000; ++round) found += ask(cache, 0, 10);
        EXPECT_GT(found, 15000u);  // the stored ones belong to another text, and are evicted
    }
}

TEST(ShortPieceCache, WithoutMemoryStaysUnchanged) {
    if (!ShortPieceCache::kGrows) GTEST_SKIP() << "it does not grow";
    ShortPieceCache cache;
    cache.set_limit(std::size_t{96} << 20);
    ASSERT_TRUE(cache.ready());
    ask(cache, 0, kRoom);
    {
        const MemoryLimit limit(std::size_t{4} << 20);
        if (!limit.works()) GTEST_SKIP() << "memory cannot be limited";
        for (u32 round = 0; round < 3; ++round) ask(cache, 0, 160000);
        EXPECT_FALSE(is_large(cache));
        EXPECT_GT(ask(cache, 0, 160000), 40000u);
    }
    for (u32 round = 0; round < 3; ++round) ask(cache, 0, 160000);
    EXPECT_TRUE(is_large(cache));
}

TEST(ShortPieceCache, NeverReturnsAnotherPiecesIds) {
    const u32 rounds = static_cast<u32>(sample(100000, 20000));
    for (const u64 limit : {u64{4} << 20, u64{1} << 14, u64{24} << 20}) {
        SCOPED_TRACE(limit);
        ShortPieceCache cache;
        cache.set_limit(limit);
        ASSERT_TRUE(cache.ready());
        Random random(9);
        std::map<std::string, std::vector<u32>> kept;
        std::size_t found = 0;
        for (u32 i = 0; i < rounds; ++i) {
            std::string piece;
            for (std::size_t length = 1 + random.below(ShortPieceCache::kLongestPiece); piece.size() < length;) {
                piece += "ab\0"[random.below(3)];
            }
            const std::vector<u32> ids = find(cache, piece);
            if (!ids.empty()) {
                ASSERT_EQ(ids, kept[piece]);
                ++found;
                continue;
            }
            kept[piece].assign(1 + random.below(ShortPieceCache::kMostIds), i);
            keep(cache, piece, kept[piece]);
        }
        EXPECT_GT(found, 1000u);
        EXPECT_GT(kept.size(), rounds / 4);
    }
}

}  // namespace
}  // namespace crayon::test::short_piece_cache_test
