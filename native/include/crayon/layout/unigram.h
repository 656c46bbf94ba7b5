// The scores of Unigram (cartridges/FORMAT.md §13): of all ways to cut a piece of text into tokens, the model picks the one
// with the highest sum of scores. The tokens are in kTrie.
#pragma once

#include <cstdint>
#include <limits>

namespace crayon::layout {

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
