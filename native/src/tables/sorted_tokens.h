// Tokens sorted by their bytes, and the nodes of their trie.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"
#include "tables/rank_table.h"

namespace crayon {

// Key i is bytes[starts[i], starts[i] + lengths[i]). The keys are non-empty, distinct and in lexicographic byte order; any
// bytes are allowed.
struct SortedKeys {
    const u8* bytes;
    const u32* starts;
    const u32* lengths;
    u32 count;
};

class SortedTokens {
public:
    // Sorts the tokens with these ids, which are not holes. Keeps a pointer to the list's bytes. OUT_OF_MEMORY, or
    // DUPLICATE_TOKEN with the greater id of two equal tokens. Cost: linear in tokens, except for shared prefixes; 206,000
    // take about 10 ms.
    Status sort(const TokenList& tokens, const Buffer<u32>& ids);

    SortedKeys keys() const { return {bytes_, starts_.data(), lengths_.data(), static_cast<u32>(ids_.size())}; }
    // ids()[k] is the id of key k.
    const u32* ids() const { return ids_.data(); }

private:
    const u8* bytes_ = nullptr;
    Buffer<u32> ids_, starts_, lengths_;
};

// The trie of a set of keys as linked nodes, to be packed into a double array.
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
