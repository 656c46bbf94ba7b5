// Both ways of merging by rank, for every possible number of units, compared with the definition.
#include "model/merge_by_rank.h"

#include <bit>

#include "open_bpe.h"
#include "share.h"

namespace crayon::test::merge_by_rank_test {
namespace {

// The bytes of a piece and their ranks, as input for both.
struct UnitsAndRanks {
    UnitsAndRanks(const std::string& piece, const OpenBpe& bpe) {
        for (char byte : piece) units.push_back(bpe.byte_ids()[static_cast<u8>(byte)]);
        for (std::size_t i = 0; i + 1 < units.size(); ++i) ranks.push_back(bpe.pairs().merged(units[i], units[i + 1]));
        ranks.push_back(layout::kNone);
    }
    std::vector<u32> units, ranks;
};

void expect_both(const std::string& piece, const Vocabulary& vocabulary, const OpenBpe& bpe) {
    const std::vector<u32> expected = naive::merge_long(piece, vocabulary.ranks);
    const u32 count = static_cast<u32>(piece.size());

    UnitsAndRanks few(piece, bpe);
    few.units.resize(merge_few(few.units.data(), few.ranks.data(), count, bpe.pairs()));
    ASSERT_EQ(few.units, expected) << piece;

    UnitsAndRanks more(piece, bpe);
    const std::vector<u32> ranks = more.ranks;
    RankMerger merger;
    const u64 begins = merger.merge(more.units.data(), more.ranks.data(), count, bpe.pairs());
    more.units.resize(expected.size());
    ASSERT_EQ(more.units, expected) << piece;
    ASSERT_EQ(more.ranks, ranks);
    u64 expected_begins = 0;
    for (std::size_t token = 0, begin = 0; token < expected.size(); ++token) {
        expected_begins |= u64{1} << begin;
        begin += vocabulary.tokens[expected[token]].size();
    }
    ASSERT_EQ(begins, expected_begins) << piece;
}

TEST(MergeByRank, AnyNumberOfUnits) {
    for (u64 seed = 1; seed <= sample(30); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcdef\xE4\xB8").substr(0, 1 + random.below(8));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 10 + random.below(200));
        OpenBpe bpe(vocabulary);
        for (std::size_t length = 1; length <= RankMerger::kUnits; ++length) {
            for (int i = 0; i < 6; ++i) {
                std::string piece;
                while (piece.size() < length) piece += alphabet[random.below(alphabet.size())];
                ASSERT_NO_FATAL_FAILURE(expect_both(piece, vocabulary, bpe)) << "seed " << seed;
            }
        }
    }
}

TEST(MergeByRank, OfEqualRanksTheLeftmost) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"aa", "aaa", "ab", "ba", "aaaa"}) vocabulary.add(token);
    OpenBpe bpe(vocabulary);
    for (u32 length = 1; length <= RankMerger::kUnits; ++length) {
        ASSERT_NO_FATAL_FAILURE(expect_both(std::string(length, 'a'), vocabulary, bpe));
        std::string alternating, pairs;
        for (u32 i = 0; i < length; ++i) alternating += i % 2 ? 'b' : 'a', pairs += i % 3 ? 'a' : 'b';
        ASSERT_NO_FATAL_FAILURE(expect_both(alternating, vocabulary, bpe));
        ASSERT_NO_FATAL_FAILURE(expect_both(pairs, vocabulary, bpe));
    }
    // aa aa a: then aa + a (aaa, 257) comes before aa + aa (aaaa, 260).
    UnitsAndRanks five("aaaaa", bpe);
    five.units.resize(merge_few(five.units.data(), five.ranks.data(), 5, bpe.pairs()));
    EXPECT_EQ(five.units, (std::vector<u32>{256, 257}));
}

TEST(MergeByRank, AMergerIsReusable) {
    Random random(4);
    const Vocabulary vocabulary = random_vocabulary(random, "abc", 100);
    OpenBpe bpe(vocabulary);
    RankMerger merger;
    for (int i = 0; i < 2000; ++i) {
        std::string piece;
        for (std::size_t length = 1 + random.below(RankMerger::kUnits); piece.size() < length;) {
            piece += "abc"[random.below(3)];
        }
        UnitsAndRanks of(piece, bpe);
        const u64 begins = merger.merge(of.units.data(), of.ranks.data(), static_cast<u32>(piece.size()), bpe.pairs());
        of.units.resize(static_cast<std::size_t>(std::popcount(begins)));
        ASSERT_EQ(of.units, naive::merge(piece, vocabulary.ranks)) << piece;
    }
}

}  // namespace
}  // namespace crayon::test::merge_by_rank_test
