// The scores of Unigram (cartridges/FORMAT.md §13): of all sequences of tokens that a piece of text can be cut into, the one with
// the greatest sum of scores. The tokens are in kTrie.
#pragma once

#include <cstdint>
#include <limits>

namespace crayon::layout {

// kFallsBackToBytes: the ids of bytes follow the scores. kSumsFloats: scores are floats and added as such, as sentencepiece does.
enum UnigramFlags : std::uint32_t { kFallsBackToBytes = 1, kSumsFloats = 2 };
// With kSumsFloats a sum beyond this, on either side of 0, is taken off all that are known.
inline constexpr float kMostSum = 100000;

// Whether a number is a float.
constexpr bool is_float(double number) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return number >= -kMost && number <= kMost && double{static_cast<float>(number)} == number;
}

// kScores: this, the score of each id as a double, finite, holes included; and with kFallsBackToBytes u32[256], the id of each
// byte's token, or kNone.
struct UnigramRules {
    std::uint32_t flags;
    std::uint32_t reserved;
    double unknown_score;  // of an unknown character; finite
};
static_assert(sizeof(UnigramRules) == 16);

}  // namespace crayon::layout
