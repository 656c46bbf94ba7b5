// The tables of longest match (cartridges/FORMAT.md §9): the longest token at each position of a text.
//
// kTrie holds the tokens that a text can produce, with their ids as values. Two more sections:
// - kJoinedBytes, kJoinedBytesLength long: the bit (a, b) is set iff in one of those tokens byte a is directly followed by byte
//   b. Between two bytes of a text that no token joins, every token ends: the text can be cut there.
// - kUnmatched: u32 count, then u32 ids[count], ascending: the tokens that are not in the trie. They decode, but no
//   text produces them: a file of version 2 has them twice, or as a byte sequence that it cannot find.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kJoinedBytesLength = 256 * 256 / 8;

constexpr bool is_joined(const std::uint8_t* joined_bytes, std::uint8_t a, std::uint8_t b) {
    return (joined_bytes[32u * a + b / 8] >> (b % 8) & 1) != 0;
}
constexpr void set_joined(std::uint8_t* joined_bytes, std::uint8_t a, std::uint8_t b) {
    joined_bytes[32u * a + b / 8] = static_cast<std::uint8_t>(joined_bytes[32u * a + b / 8] | 1u << (b % 8));
}

// No token of a file with this model has an id from here on: an encoder uses them to mark unknown characters.
inline constexpr std::uint32_t kFirstReservedId = 0xFFFFFFF0;

}  // namespace crayon::layout
