// Both ways of merging by rank, in an array and in lanes, for every possible number of units, compared with the definition.
#include "model/merge_by_rank.h"

#include <algorithm>
#include <memory>

#include "kernels.h"
#include "model/merge_lanes.h"
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

struct InLane {
    std::vector<u32> tokens;
    u64 begins;  // the units where they begin
};

// All pieces at once.
std::vector<InLane> in_lanes(const std::vector<std::string>& pieces, const OpenBpe& bpe, const Kernel& kernel) {
    std::vector<InLane> all(pieces.size());
    const auto lanes = std::make_unique<MergeLanes>();
    lanes->run(
        static_cast<u32>(pieces.size()), bpe.pairs(), kernel.texts->least,
        [&](u32 job, MergeLanes::Lane& lane) {
            const std::vector<u32> units = UnitsAndRanks(pieces[job], bpe).units;
            std::copy(units.begin(), units.end(), lane.units);
            lane.count = static_cast<u32>(units.size());
            lanes->set_keys(lane, bpe.pairs());
            return true;
        },
        [&](const MergeLanes::Lane& lane) {
            u32 tokens[MergeLanes::kUnits];
            const u32 count = lane.take(tokens);
            all[lane.job] = {{tokens, tokens + count}, lane.left};
        });
    return all;
}

void expect_both(const std::string& piece, const Vocabulary& vocabulary, const OpenBpe& bpe) {
    const std::vector<u32> expected = naive::merge_long(piece, vocabulary.ranks);
    UnitsAndRanks few(piece, bpe);
    few.units.resize(merge_few(few.units.data(), few.ranks.data(), static_cast<u32>(piece.size()), bpe.pairs()));
    ASSERT_EQ(few.units, expected) << piece;
    u64 begins = 0;
    for (std::size_t token = 0, begin = 0; token < expected.size(); ++token) {
        begins |= u64{1} << begin;
        begin += vocabulary.tokens[expected[token]].size();
    }
    for_each_kernel([&](const Kernel& kernel) {
        const InLane lane = in_lanes({piece}, bpe, kernel)[0];
        ASSERT_EQ(lane.tokens, expected) << piece;
        ASSERT_EQ(lane.begins, begins) << piece;
    });
}

TEST(MergeByRank, AnyNumberOfUnits) {
    for (u64 seed = 1; seed <= sample(30); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcdef\xE4\xB8").substr(0, 1 + random.below(8));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 10 + random.below(200));
        OpenBpe bpe(vocabulary);
        for (std::size_t length = 1; length <= MergeLanes::kUnits; ++length) {
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
    for (u32 length = 1; length <= MergeLanes::kUnits; ++length) {
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

TEST(MergeByRank, ManyPiecesTakeTurnsInTheLanes) {
    Random random(4);
    const Vocabulary vocabulary = random_vocabulary(random, "abc", 100);
    OpenBpe bpe(vocabulary);
    std::vector<std::string> pieces(2000);
    for (std::string& piece : pieces) {
        for (std::size_t length = 1 + random.below(MergeLanes::kUnits); piece.size() < length;) {
            piece += "abc"[random.below(3)];
        }
    }
    for_each_kernel([&](const Kernel& kernel) {
        const std::vector<InLane> all = in_lanes(pieces, bpe, kernel);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            ASSERT_EQ(all[i].tokens, naive::merge(pieces[i], vocabulary.ranks)) << pieces[i];
        }
    });
}

}  // namespace
}  // namespace crayon::test::merge_by_rank_test
