// The caches of merged pieces: what is found is what was kept for exactly these bytes.
#include "model/piece_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "generate_text.h"

namespace crayon::test {
namespace {

template <class Cache>
class PieceCaches : public testing::Test {
public:
    using Key = typename Cache::Key;
    using Entry = typename Cache::Entry;

    static Key key_of(const std::string& piece, char behind = '\0') {
        const std::string padded = piece + std::string(64, behind);
        return Cache::key_of(reinterpret_cast<const u8*>(padded.data()), static_cast<u32>(piece.size()));
    }
    void keep(const std::string& piece, const std::vector<u32>& ids) {
        const Key key = key_of(piece);
        Cache::keep(cache_.set(key), key, ids.data(), static_cast<u32>(ids.size()));
    }
    // {} if the piece is not there: no piece has no ids.
    std::vector<u32> find(const std::string& piece) {
        const Key key = key_of(piece);
        const Entry* entry = Cache::find(cache_.set(key), key);
        return entry ? std::vector<u32>(entry->ids, entry->ids + entry->count) : std::vector<u32>();
    }

    Cache cache_;
};

using Caches = testing::Types<ShortPieceCache, LongPieceCache>;
TYPED_TEST_SUITE(PieceCaches, Caches);

TYPED_TEST(PieceCaches, BytesAndLengthAreTheKey) {
    for (std::size_t length = 1; length <= TypeParam::kLongestPiece; ++length) {
        const std::string zeros(length, '\0'), ones(length, '\xFF');
        for (const std::string& piece : {zeros, ones}) {
            // What lies behind the piece is no part of it.
            EXPECT_TRUE(this->key_of(piece, '\0') == this->key_of(piece, '\xFF')) << length;
            EXPECT_FALSE(this->key_of(piece) == typename TypeParam::Key{}) << length;
            for (std::size_t at = 0; at < length; ++at) {
                std::string other = piece;
                other[at] ^= 0x40;
                EXPECT_FALSE(this->key_of(piece) == this->key_of(other)) << length << " " << at;
            }
            const std::string shorter = piece.substr(1);
            EXPECT_FALSE(!shorter.empty() && this->key_of(piece) == this->key_of(shorter)) << length;
        }
    }
}

TYPED_TEST(PieceCaches, AnEmptyOneHasNothing) {
    ASSERT_TRUE(this->cache_.ready());
    EXPECT_TRUE(this->find("a").empty());
    EXPECT_TRUE(this->find(std::string(1, '\0')).empty());
    EXPECT_TRUE(this->find(std::string(TypeParam::kLongestPiece, '\0')).empty());
}

TYPED_TEST(PieceCaches, ASetKeepsTheLastTwo) {
    ASSERT_TRUE(this->cache_.ready());
    // Three pieces of one set.
    std::map<const void*, std::vector<std::string>> sets;
    std::vector<std::string> same;
    for (u32 i = 0; same.empty(); ++i) {
        const std::string piece = "piece " + std::to_string(i);
        std::vector<std::string>& set = sets[this->cache_.set(this->key_of(piece))];
        set.push_back(piece);
        if (set.size() == 3) same = set;
    }
    this->keep(same[0], {1});
    this->keep(same[1], {2, 20});
    EXPECT_EQ(this->find(same[0]), (std::vector<u32>{1}));
    EXPECT_EQ(this->find(same[1]), (std::vector<u32>{2, 20}));
    this->keep(same[2], {3, 30, 300});
    EXPECT_TRUE(this->find(same[0]).empty());
    EXPECT_EQ(this->find(same[1]), (std::vector<u32>{2, 20}));
    EXPECT_EQ(this->find(same[2]), (std::vector<u32>{3, 30, 300}));
}

TYPED_TEST(PieceCaches, MoreIdsThanThereIsRoomForAreNotKept) {
    ASSERT_TRUE(this->cache_.ready());
    this->keep("full", std::vector<u32>(TypeParam::kMostIds, 7));
    this->keep("too many", std::vector<u32>(TypeParam::kMostIds + 1, 8));
    EXPECT_EQ(this->find("full"), std::vector<u32>(TypeParam::kMostIds, 7));
    EXPECT_TRUE(this->find("too many").empty());
}

// Many more pieces than there is room for: what is found is right, and much is found.
TYPED_TEST(PieceCaches, NeverAnswerForAnother) {
    ASSERT_TRUE(this->cache_.ready());
    Random random(9);
    std::map<std::string, std::vector<u32>> kept;
    std::size_t found = 0;
    for (u32 i = 0; i < 100000; ++i) {
        std::string piece;
        for (std::size_t length = 1 + random.below(TypeParam::kLongestPiece); piece.size() < length;) {
            piece += "ab\0"[random.below(3)];
        }
        const std::vector<u32> ids = this->find(piece);
        const auto before = kept.find(piece);
        if (!ids.empty()) {
            ASSERT_NE(before, kept.end());
            ASSERT_EQ(ids, before->second);
            ++found;
            continue;
        }
        std::vector<u32> made;
        for (std::size_t count = 1 + random.below(TypeParam::kMostIds); made.size() < count;) made.push_back(i);
        this->keep(piece, made);
        kept[piece] = made;
    }
    EXPECT_GT(found, 1000u);
    EXPECT_GT(kept.size(), 30000u);
}

}  // namespace
}  // namespace crayon::test
