// Backtracking against the definition of BPE.
#include "model/backtracking.h"

#include "open_bpe.h"
#include "share.h"

namespace crayon::test::backtracking_test {
namespace {

TEST(Backtracking, EqualsMergingByRank) {
    for (u64 seed = 1; seed <= sample(40); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcdefgh").substr(0, 2 + random.below(7));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 20 + random.below(400));
        OpenBpe bpe(vocabulary);
        for (int i = 0; i < 200; ++i) {
            std::string piece;
            for (std::size_t length = 1 + random.below(i % 10 ? 24 : 200); piece.size() < length;) {
                piece.append(random.one_in(10) ? 1 + random.below(20) : 1, alphabet[random.below(alphabet.size())]);
            }
            ASSERT_EQ(bpe.backtrack(piece), naive::merge(piece, vocabulary.ranks)) << "seed " << seed << " " << piece;
        }
    }
}

TEST(Backtracking, EqualsMergingByRankOnLongPieces) {
    for (u64 seed = 1; seed <= 6; ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcd").substr(0, 1 + random.below(4));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 100);
        OpenBpe bpe(vocabulary);
        for (std::size_t length : {250, 256, 1000, 5000}) {
            std::string piece;
            while (piece.size() < length) {
                piece.append(random.one_in(10) ? 1 + random.below(200) : 1, alphabet[random.below(alphabet.size())]);
            }
            ASSERT_EQ(bpe.backtrack(piece), naive::merge_long(piece, vocabulary.ranks)) << "seed " << seed;
        }
    }
}

// A vocabulary in which the greedy choice is repeatedly wrong, so that the search must backtrack every time.
TEST(Backtracking, TakesBackLongChainsOfChoices) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"ba", "ab", "aba", "bab", "abab", "babab", "ababab", "abababa"}) vocabulary.add(token);
    OpenBpe bpe(vocabulary);
    for (std::size_t n = 1; n < 600; ++n) {
        if (n > 140 && !in_sweep(n)) continue;
        std::string piece;
        for (std::size_t i = 0; i < n; ++i) piece += i % 2 ? 'b' : 'a';
        ASSERT_EQ(bpe.backtrack(piece), naive::merge(piece, vocabulary.ranks)) << n;
        piece += 'c';
        ASSERT_EQ(bpe.backtrack(piece), naive::merge(piece, vocabulary.ranks)) << n;
    }
}

}  // namespace
}  // namespace crayon::test::backtracking_test
