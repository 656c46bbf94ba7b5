// The vocabulary of a slim cartridge: how each token is made of two before it, in numbers that compress (FORMAT.md
// §5.4).
//
// A token's halves are written as their positions in rankings: orders of all ids in which the ones used most often come
// first. So most numbers are small, and the same small ones recur. Left halves have one ranking; right halves have one
// for each class of the character that the left half ends in, since what follows depends on the script.
// A section is the header, run rows, the bytes of the runs, left symbols, right symbols class by class, and low bits.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kLeadClasses = 13;
inline constexpr std::uint32_t kContinuationClass = 5;  // of a token that consists of continuation bytes

struct MergeList {
    std::uint32_t run_count;
    std::uint32_t run_bytes;    // total of all tokens in runs
    std::uint32_t merge_count;  // tokens that are in no run
    std::uint32_t low_bytes;
    std::uint32_t token_bytes;  // total of all tokens, at most kMaxSlimTokenBytes, which bounds the memory of an expansion
    std::uint32_t class_counts[kLeadClasses];  // right symbols of each class; their sum is merge_count
    std::uint32_t reserved[2];
};
static_assert(sizeof(MergeList) == 80);

inline constexpr std::uint32_t kMaxSlimTokenBytes = 1u << 26;

// Consecutive ids whose tokens are not made by merging and have the same length: single bytes, holes (length 0), tokens
// that merging cannot reach. Runs ascend. Their bytes follow each other.
struct Run {
    std::uint32_t first;
    std::uint32_t count;   // at least 1
    std::uint32_t length;  // of each
};
static_assert(sizeof(Run) == 12);

// A ranking counts uses up to this number: an id that has reached it stays in its position.
inline constexpr std::uint32_t kMaxUses = 2047;

// A position p is written as a symbol of 8 bits and, in a separate stream, low bits. Below 16 the symbol is p. Above, it
// encodes the position of the highest bit of p and the three bits after it; low_bit_count(symbol) bits are left.
inline constexpr std::uint32_t kMaxSymbol = 151;  // positions have at most 21 bits
constexpr std::uint32_t low_bit_count(std::uint32_t symbol) { return symbol < 16 ? 0 : (symbol >> 3) - 1; }
constexpr std::uint32_t position_of(std::uint32_t symbol, std::uint32_t low) {
    return symbol < 8 ? symbol : (8 | (symbol & 7)) << low_bit_count(symbol) | low;
}

// The class of a character by its first byte (any byte that is not a continuation byte, or kContinuationClass).
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
