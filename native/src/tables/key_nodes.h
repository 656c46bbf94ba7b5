// The trie of a set of keys as linked nodes, to be packed into a double array.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"
#include "tables/sorted_keys.h"

namespace crayon {

struct KeyNode {
    u32 first_child = layout::kNone;
    u32 next_sibling = layout::kNone;
    u32 key = layout::kNone;  // the key that ends here
    u16 degree = 0;
    u8 label = 0;
    u32 base = 0;  // set by the packing
};

// Builds the nodes in depth-first order, children by ascending byte. Node 0 is the root. OUT_OF_MEMORY, or
// VOCABULARY_TOO_LARGE for more than `limit` nodes. Cost: linear in the bytes.
Status link_nodes(const SortedKeys& keys, u32 limit, Buffer<KeyNode>* nodes);

// The nodes with children, by descending number of children, then in node order. OUT_OF_MEMORY.
Status order_by_degree(const Buffer<KeyNode>& nodes, Buffer<u32>* order);

}  // namespace crayon
