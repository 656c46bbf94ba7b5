// Damages a small file where a reader might trust it: sections and their table, counts and offsets, cells of tables,
// pilots and seeds, splits, units of tries, joined_bytes, views, added tokens, lists of ids. Many changes are made together
// with what depends on them (a length with the greatest length, a split with its pair), so that the validator lets them
// pass.
#pragma once

#include "generate_text.h"
#include "structure/originals.h"

namespace crayon::test {

// A damaged file; one of version 2 with a damaged list of tokens.
struct Damaged {
    Bytes file;
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> list_offsets;  // those of `tokens`, perhaps damaged too
    std::uint32_t unknown_id = 0;
    bool has_checksum = true;
};

Damaged damaged(const Original& original, Random& random);

}  // namespace crayon::test
