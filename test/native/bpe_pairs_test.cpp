// Both lookups of token pairs, compared with the definition of BPE for every pair of a vocabulary.
#include "model/bpe_pairs.h"

#include "open_bpe.h"
#include "share.h"

namespace crayon::test::bpe_pairs_test {
namespace {

TEST(BpePairs, EveryPairOfRandomVocabularies) {
    std::size_t merge = 0, adjacent = 0, neither = 0;
    for (u64 seed = 1; seed <= sample(12, 2); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcd").substr(0, 1 + random.below(4));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 60 + random.below(60), 12);
        OpenBpe bpe(vocabulary);
        std::vector<u32> reachable;
        for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
            const std::string& token = vocabulary.tokens[id];
            if (token.empty() || alphabet.find(token[0]) == alphabet.npos) continue;
            if (naive::merge(token, vocabulary.ranks).size() == 1) reachable.push_back(id);
        }
        for (const u32 left : reachable) {
            for (const u32 right : reachable) {
                const std::string both = vocabulary.tokens[left] + vocabulary.tokens[right];
                naive::Ranks others = vocabulary.ranks;
                others.erase(both);
                const std::vector<u32> pair = {left, right};
                const bool is_last_merge = vocabulary.ranks.count(both) && naive::merge(both, others) == pair;
                const bool is_encoding = naive::merge(both, vocabulary.ranks) == pair;
                ASSERT_EQ(bpe.pairs().merged(left, right), is_last_merge ? vocabulary.ranks.at(both) : layout::kNone)
                    << "seed " << seed << ": " << left << " " << right;
                ASSERT_EQ(bpe.pairs().adjacent(left, right), is_encoding) << "seed " << seed << ": " << left << " " << right;
                const u32 units[3] = {right, left, right};
                u32 ranks[2];
                bpe.pairs().merged_all(units, 3, ranks);
                ASSERT_EQ(ranks[0], bpe.pairs().merged(right, left));
                ASSERT_EQ(ranks[1], bpe.pairs().merged(left, right));
                merge += is_last_merge;
                adjacent += is_encoding;
                neither += !is_last_merge && !is_encoding;
            }
        }
    }
    EXPECT_GT(merge, at_least(100));
    EXPECT_GT(adjacent, at_least(1000));
    EXPECT_GT(neither, at_least(1000));
}

}  // namespace
}  // namespace crayon::test::bpe_pairs_test
