// The tables of longest match (cartridges/FORMAT.md §9): the longest token at each position of a text.
//
// kTrie holds the tokens that a text can produce, with their ids as values. Two more sections:
// - kJoinedBytes, kJoinedBytesLength long: bit (a, b) is set iff byte b directly follows byte a in one of those tokens.
//   Where no token joins two adjacent bytes of a text, every token ends between them, so the text can be cut there.
// - kUnmatched: u32 count, then u32 ids[count], ascending: the tokens that are not in the trie. They decode, but no text
//   produces them: a version 2 file holds them twice, or as a byte sequence it cannot find.
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

// Token ids in a file with this model are below this: an encoder marks unknown characters with the ids from here on.
inline constexpr std::uint32_t kFirstReservedId = 0xFFFFFFF0;

}  // namespace crayon::layout
