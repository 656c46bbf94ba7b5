// A normalizer program (cartridges/FORMAT.md §14): a list of steps, each applied to the previous step's output.
//
// After the head: Step[step_count], then the data the steps refer to by offset from the start of the section. Pattern
// tables (layout/pattern.h) begin at multiples of 64.
#pragma once

#include <cstdint>

namespace crayon::layout {

struct NormalizerProgram {
    std::uint32_t step_count;  // 1…kMaxSteps
    std::uint32_t reserved[3];
};
static_assert(sizeof(NormalizerProgram) == 16);

inline constexpr std::uint32_t kMaxSteps = 64;
// Limit in bytes for a text that a step inserts.
inline constexpr std::uint32_t kMaxStepText = 256;
// The most characters that the steps may make of a range: kMaxGrowth for each character, and kMaxMore besides. Lists of
// normalizers that double a text would otherwise take all memory.
inline constexpr std::uint32_t kMaxGrowth = 64, kMaxMore = 1024;

enum StepKind : std::uint32_t {
    kStepNfc = 1,
    kStepNfd = 2,
    kStepNfkc = 3,
    kStepNfkd = 4,
    kStepNmt = 5,
    kStepLowercase = 6,
    kStepStripAccents = 7,
    kStepByteLevel = 8,
    kStepStrip = 9,            // flags: kStripLeft, kStripRight
    kStepPrepend = 10,         // first: the text
    kStepReplace = 11,         // first: a text, not empty; second: its replacement
    kStepReplacePattern = 12,  // first: one pattern; second: the replacement for a match
    kStepBert = 13,            // flags: BertFlags
    kStepPrecompiled = 14,     // first: a charsmap of SentencePiece
    kStepMetaspace = 15,       // first: one character; second: tokens, or none; flags: MetaspaceFlags. Last step only
    kStepSentencePiece = 16,   // first: a charsmap, or none; second: symbols, or none; flags: SentencePieceFlags. Sole step
};
inline constexpr std::uint32_t kLastStep = kStepSentencePiece;

enum StripFlags : std::uint32_t { kStripLeft = 1, kStripRight = 2 };
enum BertFlags : std::uint32_t { kCleanText = 1, kSpacesIdeographs = 2, kStripsAccents = 4, kLowercases = 8 };
// kPutsSpace: adds a space in front, or at the end with kSpaceBehind. kCollapsesSpaces: collapses runs and strips both
// ends. kMarksSpaces: writes U+2581 for each space.
enum SentencePieceFlags : std::uint32_t { kPutsSpace = 1, kSpaceBehind = 2, kCollapsesSpaces = 4, kMarksSpaces = 8 };
// kTakesWhitespace: the tokens include the whitespace before them, and are tokens only where special ones are searched for.
enum MetaspaceFlags : std::uint32_t { kDropsWhitespace = 1, kPrependsFirst = 2, kPrependsAlways = 4, kTakesWhitespace = 8 };

struct NormalizerStep {
    std::uint32_t kind;
    std::uint32_t flags;
    std::uint32_t first_offset, first_length;
    std::uint32_t second_offset, second_length;
};
static_assert(sizeof(NormalizerStep) == 24);

}  // namespace crayon::layout
