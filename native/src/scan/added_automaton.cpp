#include "scan/added_automaton.h"

#include <bit>
#include <cstring>
#include <new>

namespace crayon {

using layout::kNone;

AddedAutomaton* AddedAutomaton::create(const TokenizerView& view) {
    AddedAutomaton* const automaton = new (std::nothrow) AddedAutomaton;
    if (!automaton || (automaton->link_prefixes(view) && automaton->make_nodes(view))) return automaton;
    delete automaton;
    return nullptr;
}

// In byte order, the prefixes of a token are the last preceding tokens that are prefixes of each other.
bool AddedAutomaton::link_prefixes(const TokenizerView& view) {
    Buffer<u32> open;
    if (!prefixes_.resize(view.added.size())) return false;
    for (const u32 row : view.sorted) {
        const std::string_view bytes = view.bytes(view.added[row]);
        const auto continues = [&](std::string_view beginning) {
            return beginning.size() <= bytes.size() && std::memcmp(beginning.data(), bytes.data(), beginning.size()) == 0;
        };
        while (!open.empty() && !continues(view.bytes(view.added[open.back()]))) open.pop_back();
        prefixes_[row] = open.empty() ? kNone : open.back();
        if (!open.push_back(row)) return false;
    }
    return true;
}

bool AddedAutomaton::make_nodes(const TokenizerView& view) {
    // Until a node is visited, its token and first child hold [begin, end): rows[begin, end) are the tokens with the suffix
    // it has read. Longer tokens become its children's, sorted by the preceding byte.
    Buffer<u32> rows, spare;
    const u32 count = static_cast<u32>(view.added.size());
    if (!rows.resize(count) || !spare.resize(count) || !nodes_.push_back({count, 0, 0, 0})) return false;
    for (u32 i = 0; i < count; ++i) rows[i] = i;
    u32 sizes[256] = {};  // group sizes by label, then their destinations; zero between nodes
    u32 depth = 0, level_end = 1;
    for (u32 at = 0; at < nodes_.size(); ++at) {
        if (at == level_end) {
            ++depth;
            level_end = static_cast<u32>(nodes_.size());
        }
        Node& node = nodes_[at];
        const u32 begin = node.token, end = node.first_child, fail = node.fail;
        node.token = at == 0 ? kNone : nodes_[fail].token;
        node.first_child = static_cast<u32>(nodes_.size());
        u64 seen[4] = {};  // one bit per label
        const auto label_of = [&](u32 row) {
            const std::string_view bytes = view.bytes(view.added[row]);
            return static_cast<u8>(bytes[bytes.size() - 1 - depth]);
        };
        u32 longer = begin;  // the tokens from there on are longer
        for (u32 i = begin; i < end; ++i) {
            const u32 row = rows[i];
            if (view.added[row].length == depth) {
                node.token = row;
                rows[i] = rows[longer];
                rows[longer++] = row;
            } else {
                const u8 label = label_of(row);
                ++sizes[label];
                seen[label / 64] |= u64{1} << label % 64;
            }
        }
        u32 group = longer;
        for (u32 label = 0; label < 256; ++label) {
            const u64 left = seen[label / 64] >> label % 64;
            if (left == 0) {
                label |= 63;
                continue;
            }
            label += static_cast<u32>(std::countr_zero(left));
            const u32 size = sizes[label];
            sizes[label] = group;
            // (This may move the nodes.)
            const u32 next_fail = at == 0 ? 0 : next(fail, static_cast<u8>(label));
            if (!nodes_.push_back({group + size, next_fail, group, static_cast<u8>(label)})) return false;
            group += size;
        }
        for (u32 i = longer; i < end; ++i) spare[sizes[label_of(rows[i])]++] = rows[i];
        for (u32 i = longer; i < end; ++i) {
            rows[i] = spare[i];
            sizes[label_of(rows[i])] = 0;
        }
    }
    return nodes_.push_back({static_cast<u32>(nodes_.size()), 0, kNone, 0});
}

// 0 if there is none.
u32 AddedAutomaton::next(u32 node, u8 label) const {
    for (;;) {
        u32 low = nodes_[node].first_child, high = nodes_[node + 1].first_child;
        while (low < high) {
            const u32 middle = (low + high) / 2;
            if (nodes_[middle].label == label) return middle;
            nodes_[middle].label < label ? low = middle + 1 : high = middle;
        }
        if (node == 0) return 0;
        node = nodes_[node].fail;
    }
}

void AddedAutomaton::run(const u8* text, size_t begin, size_t end, size_t limit, u32* longest) const {
    u32 node = 0;
    for (size_t at = limit; at > begin;) {
        node = next(node, text[--at]);
        if (at < end) longest[at - begin] = nodes_[node].token;
    }
}

}  // namespace crayon
