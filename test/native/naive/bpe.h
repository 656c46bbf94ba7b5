// Byte-pair encoding by its definition: while any adjacent pair forms a token, merge the pair of lowest rank, the leftmost of
// equals. A piece that is a token as a whole is that token (tiktoken's rule).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crayon::naive {

using Ranks = std::unordered_map<std::string, std::uint32_t>;  // a token's bytes to its rank, which is its id

// By merging alone. Every byte of the piece must be a token.
std::vector<std::uint32_t> merge(std::string_view piece, const Ranks& ranks);

// The same for pieces of thousands of bytes: possible merges are kept in an ordered set.
std::vector<std::uint32_t> merge_long(std::string_view piece, const Ranks& ranks);

// The ids of a piece, like tiktoken's.
std::vector<std::uint32_t> encode_piece(std::string_view piece, const Ranks& ranks);

}  // namespace crayon::naive
