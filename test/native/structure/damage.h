// Damages a small file where a reader might trust it: sections and their table, counts and offsets, table cells, pilots and
// seeds, splits, trie units, joined_bytes, views, added tokens, lists of ids. Many changes also update dependent data (a length
// and the greatest length, a split and its pair), so that they pass the validator.
#pragma once

#include "generate_text.h"
#include "structure/originals.h"

namespace crayon::test {

// A damaged file; one of version 2 with a damaged list of tokens.
struct Damaged {
    Bytes file;
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> list_offsets;  // those of `tokens`, possibly damaged too
    std::uint32_t unknown_id = 0;
    bool has_checksum = true;
};

Damaged damaged(const Original& original, Random& random);
// Words of a program of the backtracking matcher: operations, operands, targets.
void damage_regex(std::vector<std::uint32_t>& words, Random& random);

}  // namespace crayon::test
