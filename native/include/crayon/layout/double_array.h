// A double-array trie over bytes with XOR addressing (Aoe 1989; the packed unit follows the idea of darts-clone).
//
// A node's child for byte c is the unit at base(node) ^ c; it exists iff that unit's label equals c. Each base belongs to
// one node, so the label alone identifies the parent. Unit 0 is the root. Base 0 belongs to nodes without children: units
// 0…255 are the root and vacant units.
// A section is the header, then u32 units[unit_count], then u32 values[unit_count] if has_values.
#pragma once

#include <cstdint>

namespace crayon::layout {

struct DoubleArray {
    std::uint32_t unit_count;  // a multiple of 256, at most 2^22; base | 255 < unit_count for every unit (checked)
    std::uint32_t has_values;  // 1: values[i] belongs to the terminal unit i
    std::uint8_t reserved[56];
};
static_assert(sizeof(DoubleArray) == 64);

// unit = label (9 bits) | terminal (1 bit) << 9 | base (22 bits) << 10
inline constexpr std::uint32_t kVacantLabel = 256;  // not a byte's label: vacant units and the root
inline constexpr std::uint32_t kTerminal = 1u << 9;
inline constexpr std::uint32_t kBaseShift = 10;
inline constexpr std::uint32_t kMaxUnits = 1u << 22;

constexpr std::uint32_t label_of(std::uint32_t unit) { return unit & 0x1FF; }
constexpr std::uint32_t base_of(std::uint32_t unit) { return unit >> kBaseShift; }
constexpr bool is_terminal(std::uint32_t unit) { return (unit & kTerminal) != 0; }

}  // namespace crayon::layout
