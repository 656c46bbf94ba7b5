// Merging in parts, and in runs, compared with the definition of BPE.
#include "model/merge_parts.h"

#include "model/merge_runs.h"
#include "open_bpe.h"
#include "share.h"

namespace crayon::test::merge_parts_test {
namespace {

struct MergerMemory {
    PartsScratch scratch;
    PieceMemory memory;
};

// The ids by parts of this length; empty if the parts do not join.
std::vector<u32> merge_parts(const OpenBpe& bpe, const std::string& piece, u32 part_length, MergerMemory& own) {
    auto& [scratch, memory] = own;
    const std::string padded = OpenBpe::with_padding(piece);
    const u32 length = static_cast<u32>(piece.size());
    std::vector<u32> ids(length + PartsMerger::kPadding);
    PartsMerger merger(OpenBpe::bytes(padded), length, part_length, bpe.pairs(), bpe.byte_ids(), bpe.tables(), bpe.backtracking(),
                       scratch, memory);
    ids.resize(merger.merge(ids.data()));
    return ids;
}

// Runs of a few bytes: all short, some long, or most long.
std::string runs_of(Random& random, std::string_view alphabet, std::size_t length) {
    const std::size_t rare = random.one_in(2) ? 40 : 1 + random.below(6), longest = 2 + random.below(300);
    std::string piece;
    while (piece.size() < length) {
        piece.append(random.one_in(rare) ? 1 + random.below(longest) : 1, alphabet[random.below(alphabet.size())]);
    }
    return piece;
}

// A scratch serves all pieces of a vocabulary, so most parts come from the cache.
TEST(MergeParts, EqualsMergingByRankOnRandomVocabularies) {
    u64 pieces = 0, merged = 0;
    for (u64 seed = 1; seed <= sample(60, 6); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view(" \t\n\rab").substr(0, 1 + random.below(6));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 10 + random.below(300), 4 + random.below(90));
        const OpenBpe bpe(vocabulary);
        MergerMemory scratch;
        for (int i = 0; i < 60; ++i) {
            const std::string piece = runs_of(random, alphabet, 1 + random.below(i % 10 ? 200 : 3000));
            const std::vector<u32> expected = naive::merge_long(piece, vocabulary.ranks);
            for (const u32 part_length : {1, 4, 6, 14}) {
                const std::vector<u32> ids = merge_parts(bpe, piece, part_length, scratch);
                ++pieces;
                if (ids.empty()) continue;
                ++merged;
                ASSERT_EQ(ids, expected) << "seed " << seed << ", parts of " << part_length << ", piece " << piece;
            }
        }
    }
    EXPECT_GT(merged, pieces / 2);
}

// Tokens as in a trained vocabulary: runs of spaces, and runs with text that often follows.
TEST(MergeParts, EqualsMergingByRankOnWhiteSpace) {
    u64 pieces = 0, merged = 0;
    for (u64 seed = 1; seed <= sample(24, 3); ++seed) {
        Random random(seed);
        Vocabulary vocabulary;
        for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
        for (u32 length = 2; length <= 128; length *= 2) vocabulary.add(std::string(length, ' '));
        const char* const characters[] = {" ", "\t", "\n", "\r", "\xC2\xA0", "\xE3\x80\x80"};
        for (int n = 0; n < 300; ++n) {
            std::string token;
            for (std::size_t runs = 1 + random.below(3); runs > 0; --runs) {
                const char* const character = characters[random.below(random.below(6) + 1)];
                for (std::size_t times = 1 + random.below(random.one_in(3) ? 90 : 4); times > 0; --times) token += character;
            }
            if (!vocabulary.ranks.count(token) && token.size() > 1) vocabulary.add(token);
        }
        keep_mergeable(vocabulary);
        OpenBpe bpe(vocabulary);
        MergerMemory scratch;
        for (int n = 0; n < 30; ++n) {
            const std::size_t kinds = 1 + random.below(6), longest = 1 + random.below(random.one_in(2) ? 3 : 300);
            std::string piece;
            while (piece.size() < 2000) {
                const char* const character = characters[random.below(kinds)];
                for (std::size_t times = 1 + random.below(longest); times > 0; --times) piece += character;
            }
            const std::vector<u32> expected = naive::merge_long(piece, vocabulary.ranks);
            ASSERT_EQ(bpe.encode(piece), expected) << "seed " << seed;
            const u32 part_length =
                PartsMerger::part_length(OpenBpe::bytes(OpenBpe::with_padding(piece)), static_cast<u32>(piece.size()));
            const std::vector<u32> ids = merge_parts(bpe, piece, part_length ? part_length : 4, scratch);
            ++pieces;
            if (ids.empty()) continue;
            ++merged;
            ASSERT_EQ(ids, expected) << "seed " << seed;
        }
    }
    EXPECT_GT(merged, pieces / 2);
}

// A chain of letter pairs in which the last pair merges first: how the letters pair depends on where the chain ends, far after
// the seam of two parts.
TEST(MergeParts, LaterTextCanChangeEarlierMerges) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    const std::string chain = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t i = chain.size() - 1; i > 0; --i) vocabulary.add(chain.substr(i - 1, 2));
    OpenBpe bpe(vocabulary);
    MergerMemory scratch;
    Random random(6);
    u64 merged = 0;
    for (int i = 0; i < 200; ++i) {
        std::string piece;
        for (std::size_t stretches = 1 + random.below(8); stretches > 0; --stretches) {
            piece += chain.substr(random.below(chain.size()), 1 + random.below(chain.size()));
        }
        const std::vector<u32> ids = merge_parts(bpe, piece, 4, scratch);
        if (ids.empty()) continue;
        ++merged;
        ASSERT_EQ(ids, naive::merge_long(piece, vocabulary.ranks)) << piece;
    }
    EXPECT_GT(merged, 100u);
}

TEST(MergeParts, SuitsTextsWhosePartsRecur) {
    Random random(1);
    const auto part_length = [](const std::string& piece) {
        return PartsMerger::part_length(OpenBpe::bytes(OpenBpe::with_padding(piece)), static_cast<u32>(piece.size()));
    };
    std::string letters, blanks, short_one(PartsMerger::kShortest - 1, ' ');
    while (letters.size() < 100000) {
        letters += static_cast<char>('a' + random.below(26));
        blanks += " \t"[random.below(2)];
    }
    EXPECT_EQ(part_length(letters), 0u);
    EXPECT_GT(part_length(blanks), 0u);
    EXPECT_GT(part_length(std::string(PartsMerger::kShortest, ' ')), 0u);
    EXPECT_EQ(part_length(short_one), 0u);
}

// Lengths that end inside eight-byte words, and at them.
TEST(MergeRuns, RunsEndWhereTheByteChanges) {
    for (u32 begin : {0, 1, 5, 8}) {
        for (u32 run = 1; run < 40; ++run) {
            for (u32 rest : {0, 1, 3, 8, 20}) {
                const std::string text = std::string(begin, 'x') + std::string(run, '\xFF') + std::string(rest, '\xFE');
                const std::string padded = text + std::string(16, '\xFF');
                ASSERT_EQ(run_end(OpenBpe::bytes(padded), begin, static_cast<u32>(text.size())), begin + run);
            }
        }
    }
}

TEST(MergeRuns, RefusesMoreRunsThanItWasAllowed) {
    Random random(2);
    const OpenBpe bpe(random_vocabulary(random, "ab", 30));
    const std::string padded = OpenBpe::with_padding("aabbaab");
    u32 ids[8];
    EXPECT_EQ(merge_runs(OpenBpe::bytes(padded), 7, 3, bpe.pairs(), bpe.byte_ids(), ids), 0u);
    const u32 count = merge_runs(OpenBpe::bytes(padded), 7, 4, bpe.pairs(), bpe.byte_ids(), ids);
    EXPECT_EQ(std::vector<u32>(ids, ids + count), naive::merge_long("aabbaab", bpe.ranks()));
}

}  // namespace
}  // namespace crayon::test::merge_parts_test
