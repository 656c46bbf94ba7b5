// A pretokenizer pattern as an automaton over classes of characters (cartridges/FORMAT.md §11). A section has one or
// several of them, one after the other: each splits the pieces of the one before.
//
// After the head: u16 block_of[kPatternBlocks], u8 blocks[block_count × 128], u16 table[state_count × row_length], each
// from a multiple of 64 on, and zeros up to the next one.
#pragma once

#include <cstdint>

namespace crayon::layout {

struct Pattern {
    std::uint32_t state_count;  // 2…kMaxPatternStates; state 0 has stopped, a match begins in state 1
    std::uint32_t class_count;  // 1…kMaxPatternClasses
    std::uint32_t row_length;   // the least power of two above class_count; rows end with the end of the text and zeros
    std::uint32_t block_count;  // 1…kPatternBlocks
    std::uint32_t cuts;         // PatternCuts
    std::uint32_t length;       // in bytes, to the next pattern or the end of the section
    std::uint32_t dropped[4];   // a bit for each class: its characters have no ids
    std::uint32_t reserved[6];
};
static_assert(sizeof(Pattern) == 64);

inline constexpr std::uint32_t kMaxPatterns = 4;
inline constexpr std::uint32_t kMaxPatternStates = 128;
inline constexpr std::uint32_t kMaxPatternClasses = 127;
// The class of a code point: blocks[block_of[code_point >> 7] × 128 + (code_point & 127)]. ASCII is block 0.
inline constexpr std::uint32_t kPatternBlockShift = 7;
inline constexpr std::uint32_t kPatternBlocks = 0x110000 >> kPatternBlockShift;

// An entry of the table: where the row of the next state begins, and whether a match ends before what is read.
inline constexpr std::uint32_t kPatternEnds = 0x8000;

// Where pieces end: between two matches, after a match before text without one (a gap), after a gap.
// kInnerPattern: it splits each piece of the ones before when that is encoded; the text cannot be cut inside of such a piece.
// kReadsBytes, with kInnerPattern: it reads bytes, each as the code point of its value, whose blocks are 0 and 1.
enum PatternCuts : std::uint32_t {
    kCutBetweenMatches = 1,
    kCutBeforeGaps = 2,
    kCutAfterGaps = 4,
    kInnerPattern = 8,
    kReadsBytes = 16
};
inline constexpr std::uint32_t kAllPatternCuts = 7;

// Two matches may read the same text side by side, of which neither ends later, for at most so many characters.
inline constexpr std::uint32_t kMaxPatternReadAhead = 64;

}  // namespace crayon::layout
