// Tokens that became equal when their list was decoded to strings.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "tables/rank_table.h"

namespace crayon {

// A list of strings has U+FFFD where tokens had bytes that are not UTF-8, so different tokens may have become equal. The
// lists CRAYON published have hundreds of these, and their version 2 files find the last one. Writes the ids of the others
// to `repeats`, ascending: they decode, but no text produces them. Equal tokens without U+FFFD are a mistake and stay.
// False: out of memory. Cost: linear in the bytes, and n log n comparisons for n tokens that contain U+FFFD.
bool find_lossy_repeats(const TokenList& tokens, Buffer<u32>* repeats);

}  // namespace crayon
