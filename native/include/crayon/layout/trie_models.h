// The rules of the models whose tokens are in kTrie (cartridges/FORMAT.md §13).
#pragma once

#include <cstdint>
#include <limits>

namespace crayon::layout {

// WordPiece: a word is cut into the longest token at its beginning, then the longest continuation, and so on; if any position has
// no token, the whole word is unknown. Continuations keep their prefix (`##ing`), as in the vocabulary, so the two tries are the
// subtrees below the root and below the prefix.

// kWholeWords (WordLevel): a word is a token or unknown; there are no continuations and no limit on word length.
enum WordPieceFlags : std::uint32_t { kWholeWords = 1 };

// kWordPieces: this header, then the bytes of the prefix.
struct WordPieceRules {
    std::uint32_t flags;
    std::uint32_t most_characters;  // a longer word is unknown; zero with kWholeWords
    std::uint32_t prefix_length;    // at most kMaxTokenLength; zero with kWholeWords
    std::uint32_t reserved;
};
static_assert(sizeof(WordPieceRules) == 16);

// Unigram: of all ways to cut a piece of text into tokens, the model picks the one with the highest sum of scores.

// kFallsBackToBytes: byte ids follow the scores. kSumsFloats: scores are floats and summed as floats, as sentencepiece
// does.
enum UnigramFlags : std::uint32_t { kFallsBackToBytes = 1, kSumsFloats = 2 };
// With kSumsFloats, when a sum exceeds this in magnitude, it is subtracted from all known sums.
inline constexpr float kMostSum = 100000;

// Whether the number is exactly representable as a float.
constexpr bool is_float(double number) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return number >= -kMost && number <= kMost && double{static_cast<float>(number)} == number;
}

// kScores: this header, then each id's score as a finite double, holes included; with kFallsBackToBytes also u32[256], the
// id of each byte's token, or kNone.
struct UnigramRules {
    std::uint32_t flags;
    std::uint32_t reserved;
    double unknown_score;  // of an unknown character; finite
};
static_assert(sizeof(UnigramRules) == 16);

}  // namespace crayon::layout
