#include "tables/key_nodes.h"

#include <algorithm>

namespace crayon {

using layout::kNone;

Status link_nodes(const SortedKeys& keys, u32 limit, Buffer<KeyNode>* nodes) {
    u32 longest = 0;
    for (u32 k = 0; k < keys.count; ++k) longest = std::max(longest, keys.lengths[k]);
    Buffer<u32> path;        // path[d]: the node at depth d of the last key
    Buffer<u32> last_child;  // of path[d]
    if (!path.resize(size_t{longest} + 1) || !last_child.assign(size_t{longest} + 1, kNone) || !nodes->push_back({})) {
        return Status::out_of_memory();
    }
    path[0] = 0;
    const u8* previous = nullptr;
    u32 previous_length = 0;
    for (u32 k = 0; k < keys.count; ++k) {
        const u8* key = keys.bytes + keys.starts[k];
        const u32 length = keys.lengths[k], shared_most = std::min(length, previous_length);
        u32 depth = 0;
        while (depth < shared_most && key[depth] == previous[depth]) ++depth;
        for (; depth < length; ++depth) {
            const u32 added = static_cast<u32>(nodes->size());
            KeyNode node;
            node.label = key[depth];
            if (added == limit) return {CRAYON_VOCABULARY_TOO_LARGE, 0, 0};
            if (!nodes->push_back(node)) return Status::out_of_memory();
            KeyNode& parent = (*nodes)[path[depth]];
            (parent.degree++ == 0 ? parent.first_child : (*nodes)[last_child[depth]].next_sibling) = added;
            last_child[depth] = added;
            path[depth + 1] = added;
        }
        (*nodes)[path[length]].key = k;
        previous = key;
        previous_length = length;
    }
    return {};
}

Status order_by_degree(const Buffer<KeyNode>& nodes, Buffer<u32>* order) {
    u32 starts[258] = {};
    for (const KeyNode& node : nodes) ++starts[256 - node.degree + 1];
    const u32 parents = static_cast<u32>(nodes.size()) - starts[257];
    for (u32 i = 1; i < 258; ++i) starts[i] += starts[i - 1];
    if (!order->resize(parents)) return Status::out_of_memory();
    for (u32 i = 0; i < nodes.size(); ++i) {
        if (nodes[i].degree > 0) (*order)[starts[256 - nodes[i].degree]++] = i;
    }
    return {};
}

}  // namespace crayon
