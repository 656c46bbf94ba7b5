// A pretokenizer pattern as an automaton over character classes (cartridges/FORMAT.md §11). A section holds one or more in
// sequence: each splits the pieces of the previous one.
//
// After the head: u16 block_of[kPatternBlocks], u8 blocks[block_count × 128], u16 table[state_count × row_length], each
// starting at a multiple of 64, with zero padding.
#pragma once

#include <cstdint>

namespace crayon::layout {

struct Pattern {
    std::uint32_t state_count;  // 2…kMaxPatternStates; state 0 is stopped, a match begins in state 1
    std::uint32_t class_count;  // 1…kMaxPatternClasses
    std::uint32_t row_length;   // the smallest power of two above class_count; a row ends with the end-of-text entry and zeros
    std::uint32_t block_count;  // 1…kPatternBlocks
    std::uint32_t cuts;         // PatternCuts
    std::uint32_t length;       // in bytes, to the next pattern or the end of the section
    std::uint32_t dropped[4];   // one bit per class: its characters have no ids
    std::uint32_t reserved[6];
};
static_assert(sizeof(Pattern) == 64);

inline constexpr std::uint32_t kMaxPatterns = 4;
inline constexpr std::uint32_t kMaxPatternStates = 128;
inline constexpr std::uint32_t kMaxPatternClasses = 127;
// A code point's class: blocks[block_of[code_point >> 7] × 128 + (code_point & 127)]. ASCII is block 0.
inline constexpr std::uint32_t kPatternBlockShift = 7;
inline constexpr std::uint32_t kPatternBlocks = 0x110000 >> kPatternBlockShift;

// A table entry: the offset of the next state's row, and whether a match ends before the character just read.
inline constexpr std::uint32_t kPatternEnds = 0x8000;

// Where pieces end: between two matches, between a match and unmatched text after it (a gap), after a gap.
// kInnerPattern: splits each piece of the previous patterns when that piece is encoded; the text cannot be cut inside such
// a piece.
enum PatternCuts : std::uint32_t { kCutBetweenMatches = 1, kCutBeforeGaps = 2, kCutAfterGaps = 4, kInnerPattern = 8 };
inline constexpr std::uint32_t kAllPatternCuts = 7;

// Two matches may read the same text side by side, with neither ending later, for at most this many characters.
inline constexpr std::uint32_t kMaxPatternReadAhead = 64;

}  // namespace crayon::layout
