// The trie of some keys as linked nodes: what a double array is packed from.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"
#include "expand/sorted_keys.h"

namespace crayon {

struct KeyNode {
    u32 first_child = layout::kNone;
    u32 next_sibling = layout::kNone;
    u32 key = layout::kNone;  // that ends here
    u16 degree = 0;
    u8 label = 0;
    u32 base = 0;  // for who packs them
};

// In the order of a walk that takes children by ascending byte. Node 0 is the root. OUT_OF_MEMORY, or
// VOCABULARY_TOO_LARGE for more than `most` nodes. Cost: linear in the bytes.
Status link_nodes(const SortedKeys& keys, u32 most, Buffer<KeyNode>* nodes);

// Nodes with children, those with many first; equal ones in the order of the walk. OUT_OF_MEMORY.
Status order_by_degree(const Buffer<KeyNode>& nodes, Buffer<u32>* order);

}  // namespace crayon
