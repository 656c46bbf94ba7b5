// Builds the double arrays of layout/double_array.h.
//
// The invariant: every node with children has a base of its own in block 1 or later, every node but the root has a unit
// of its own, and the same keys always give the same units.
//
// A node's children all lie in the block of 256 units that holds its base (XOR changes the low byte only), so the
// search for a base is a search in one block, done for all 256 bases at once with 256-bit sets. Nodes with many
// children go first, while blocks are empty; those with one child fill what is left.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "expand/sorted_keys.h"

namespace crayon {

// Writes a whole section: header, units and, if `values` is given (one for each key), values. The keys are not empty,
// distinct and in lexicographic order of their bytes, any bytes. Fails with OUT_OF_MEMORY, or VOCABULARY_TOO_LARGE when
// the units do not suffice. Cost: linear in the bytes; 200,000 keys with 421,000 nodes take about 40 ms and are 98 %
// dense.
Status build_double_array(const SortedKeys& keys, const u32* values, Buffer<u8>* section);

}  // namespace crayon
