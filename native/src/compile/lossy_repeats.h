// Tokens that became equal when a list of them was decoded.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "tables/rank_table.h"

namespace crayon {

// A list of strings has U+FFFD where tokens had bytes that are not UTF-8, so that different tokens may have become equal. The
// published lists of CRAYON have hundreds of them, and their files of version 2 find the last. Writes the ids of the others to
// `repeats`, ascending: no text produces these, but they decode. Equal tokens without U+FFFD are a mistake, and stay.
// False: out of memory. Cost: linear in the bytes, and n log n comparisons for n tokens that contain U+FFFD.
bool find_lossy_repeats(const TokenList& tokens, Buffer<u32>* repeats);

}  // namespace crayon
