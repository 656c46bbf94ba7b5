// The vocabulary of a slim cartridge: how each token is made from two earlier ones, in numbers that compress well
// (FORMAT.md §5.4).
//
// A token's halves are written as positions in rankings: orderings of all ids with the most used first. So most numbers are
// small, and the same small ones recur. Left halves share one ranking; right halves have one per class of the left half's
// last character, since the continuation depends on the script.
// A section is the header, run rows, the bytes of the runs, left symbols, right symbols class by class, and low bits.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kLeadClasses = 13;
inline constexpr std::uint32_t kContinuationClass = 5;  // for a token of continuation bytes only

struct MergeList {
    std::uint32_t run_count;
    std::uint32_t run_bytes;    // bytes of all tokens in runs
    std::uint32_t merge_count;  // tokens outside runs
    std::uint32_t low_bytes;
    std::uint32_t token_bytes;  // bytes of all tokens, at most kMaxSlimTokenBytes, which bounds the memory of an expansion
    std::uint32_t class_counts[kLeadClasses];  // right symbols per class; they sum to merge_count
    std::uint32_t reserved[2];
};
static_assert(sizeof(MergeList) == 80);

inline constexpr std::uint32_t kMaxSlimTokenBytes = 1u << 26;

// Consecutive ids of equal length whose tokens are not made by merging: single bytes, holes (length 0), tokens that merging
// cannot reach. Runs ascend; their bytes are stored in the same order.
struct Run {
    std::uint32_t first;
    std::uint32_t count;   // at least 1
    std::uint32_t length;  // of each token
};
static_assert(sizeof(Run) == 12);

// A ranking counts uses up to this number: an id that has reached it keeps its position.
inline constexpr std::uint32_t kMaxUses = 2047;

// A position p is written as an 8-bit symbol and, in a separate stream, low bits. Below 16 the symbol is p. Above, it
// encodes the position of p's highest bit and the three bits after it; low_bit_count(symbol) bits remain.
inline constexpr std::uint32_t kMaxSymbol = 151;  // positions have at most 21 bits
constexpr std::uint32_t low_bit_count(std::uint32_t symbol) { return symbol < 16 ? 0 : (symbol >> 3) - 1; }
constexpr std::uint32_t position_of(std::uint32_t symbol, std::uint32_t low) {
    return symbol < 8 ? symbol : (8 | (symbol & 7)) << low_bit_count(symbol) | low;
}

// A character's class by its first byte (any non-continuation byte, or kContinuationClass).
constexpr std::uint32_t lead_class(std::uint8_t first) {
    if (first < 0x80) {
        if (first == ' ') return 0;
        if (first >= 'a' && first <= 'z') return 1;
        if (first >= 'A' && first <= 'Z') return 2;
        return first >= '0' && first <= '9' ? 3 : 4;
    }
    if (first < 0xC0) return kContinuationClass;
    if (first < 0xE0) return first < 0xD0 ? 6 : first < 0xD8 ? 7 : 8;
    return first == 0xE0 ? 9 : first < 0xE4 ? 10 : first < 0xEA ? 11 : 12;
}

}  // namespace crayon::layout
