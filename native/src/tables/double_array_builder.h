// Builds the double arrays of layout/double_array.h.
//
// Invariant: every node with children has its own base in block 1 or later, every node but the root has its own unit,
// and the same keys always result in the same units.
//
// A node's children are all in the block of 256 units that contains its base (XOR changes only the low byte), so the
// search for a base is a search in one block, done for all 256 bases at once with 256-bit sets. Nodes with many
// children go first, while blocks are empty; those with one child fill the gaps.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "tables/sorted_keys.h"

namespace crayon {

// Writes a whole section: header, units and, if `values` is given (one for each key), values. The keys are not empty,
// distinct and in lexicographic order of their bytes, any bytes. Fails with OUT_OF_MEMORY, or VOCABULARY_TOO_LARGE if
// there are not enough units. Cost: linear in the bytes; 200,000 keys with 421,000 nodes take about 40 ms and are 98 %
// dense.
Status build_double_array(const SortedKeys& keys, const u32* values, Buffer<u8>* section);

}  // namespace crayon
