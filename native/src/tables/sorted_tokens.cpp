#include "tables/sorted_tokens.h"

#include <algorithm>
#include <cstring>

#include "base/least_heap.h"
#include "tables/key_words.h"

namespace crayon {

namespace {

struct Key {
    u64 beginning;  // eight bytes from some depth on, first one highest; zero-padded
    u32 id;
};

// Tokens that share their first `depth` bytes.
struct Group {
    u32 first, last;
    u32 depth;
};
constexpr u32 kDeepened = 1024;  // groups this large are worth another radix sort

// Radix sort by `beginning`, from the lowest byte on. Four times as fast as comparing. `sorted`: equally large scratch space.
Status sort_by_beginning(Key* keys, u32 count, Key* sorted) {
    Buffer<u32> counts;  // for each value of each byte
    if (!counts.assign(8 * 256, 0)) return Status::out_of_memory();
    for (const Key* key = keys; key < keys + count; ++key) {
        for (u32 byte = 0; byte < 8; ++byte) ++counts[256 * byte + (key->beginning >> 8 * byte & 255)];
    }
    for (u32 byte = 0; byte < 8; ++byte) {
        u32* next = counts.data() + 256 * byte;
        u32 begin = 0;
        for (u32 value = 0; value < 256; ++value) {
            const u32 size = next[value];
            next[value] = begin;
            begin += size;
        }
        for (const Key* key = keys; key < keys + count; ++key) sorted[next[key->beginning >> 8 * byte & 255]++] = *key;
        std::swap(keys, sorted);
    }
    return {};
}

// Compares two tokens: negative, zero or positive.
int order(const TokenList& tokens, u32 a, u32 b) {
    const u32 a_length = tokens.length(a), b_length = tokens.length(b);
    const int bytes = std::memcmp(tokens.token(a), tokens.token(b), std::min(a_length, b_length));
    return bytes != 0 ? bytes : static_cast<int>(a_length) - static_cast<int>(b_length);
}

// Sorts keys with equal beginnings, which differ later, or by zeros at the end.
Status sort_ties(const TokenList& tokens, Key* first, Key* last) {
    heap_sort(first, last, [&](const Key& a, const Key& b) {
        const int bytes = order(tokens, a.id, b.id);
        return bytes != 0 ? bytes < 0 : a.id < b.id;
    });
    for (const Key* key = first + 1; key < last; ++key) {
        if (order(tokens, key[-1].id, key->id) == 0) return {CRAYON_DUPLICATE_TOKEN, 0, key->id};
    }
    return {};
}

}  // namespace

Status SortedTokens::sort(const TokenList& tokens, const Buffer<u32>& ids) {
    const size_t count = ids.size();
    Buffer<Key> keys, spare;
    Buffer<Group> groups;
    if (!keys.resize(count) || !spare.resize(count) || !ids_.resize(count) || !starts_.resize(count) || !lengths_.resize(count)) {
        return Status::out_of_memory();
    }
    for (size_t i = 0; i < count; ++i) keys[i].id = ids[i];
    Status status = groups.push_back({0, static_cast<u32>(count), 0}) ? Status{} : Status::out_of_memory();
    while (status.ok() && !groups.empty()) {
        const Group group = groups.back();
        groups.pop_back();
        for (u32 i = group.first; i < group.last; ++i) {
            const u32 length = tokens.length(keys[i].id), at = std::min(group.depth, length);
            keys[i].beginning = __builtin_bswap64(key_word(tokens.token(keys[i].id) + at, std::min(length - at, 8u)));
        }
        status = sort_by_beginning(keys.data() + group.first, group.last - group.first, spare.data());
        for (u32 first = group.first, last; status.ok() && first < group.last; first = last) {
            bool goes_on = false;
            for (last = first; last < group.last && keys[last].beginning == keys[first].beginning; ++last) {
                goes_on = goes_on || tokens.length(keys[last].id) > group.depth + 8;
            }
            if (last - first >= kDeepened && goes_on) {
                if (!groups.push_back({first, last, group.depth + 8})) status = Status::out_of_memory();
            } else if (last - first > 1) {
                status = sort_ties(tokens, keys.begin() + first, keys.begin() + last);
            }
        }
    }
    if (!status.ok()) return status;
    bytes_ = tokens.bytes;
    for (size_t i = 0; i < count; ++i) {
        ids_[i] = keys[i].id;
        starts_[i] = tokens.offsets[keys[i].id];
        lengths_[i] = tokens.length(keys[i].id);
    }
    return {};
}

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
