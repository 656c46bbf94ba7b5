// The tables of longest match (cartridges/FORMAT.md §9): at each place of a text its longest token there.
//
// kTrie holds the tokens that texts can give, with their ids as values. Two more sections:
// - kJoints, kJointBytes long: the bit (a, b) is set iff in one of those tokens byte a is directly followed by byte b.
//   Between two bytes of a text that no token joins, every token ends: there it can be cut.
// - kUnmatched: u32 count, then u32 ids[count], ascending: the tokens that the trie leaves out. They decode, and no
//   text gives them: those that a file of version 2 names twice, or spells as no byte sequence it can find.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kJointBytes = 256 * 256 / 8;

constexpr bool is_joint(const std::uint8_t* joints, std::uint8_t a, std::uint8_t b) {
    return (joints[32u * a + b / 8] >> (b % 8) & 1) != 0;
}
constexpr void set_joint(std::uint8_t* joints, std::uint8_t a, std::uint8_t b) {
    joints[32u * a + b / 8] = static_cast<std::uint8_t>(joints[32u * a + b / 8] | 1u << (b % 8));
}

// Ids from here on are of no token of a file with this model: an encoder tells unknown characters by them.
inline constexpr std::uint32_t kFirstReservedId = 0xFFFFFFF0;

}  // namespace crayon::layout
