#include "compile/dat_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "crayon/layout/cartridge.h"
#include "tables/sorted_tokens.h"

namespace crayon {

namespace {

using layout::kNone;

// Keeps the file far below 2 GiB, no matter how many states are left free.
constexpr u32 kMaxNodes = 1u << 26;
// A word of 64 states that failed for this many nodes of one degree is not tried again for that degree.
constexpr u8 kRefusals = 8;

// Assigns bases to nodes, by descending degree.
class Packing {
public:
    bool start() {
        if (!grow(256)) return false;
        take(0);  // the root
        return true;
    }

    bool place(Buffer<KeyNode>& nodes, u32 index) {
        KeyNode& node = nodes[index];
        if (node.degree == 1) return place_one(nodes, node);
        if (node.degree != degree_ && !start_degree(node.degree)) return false;
        u32 before = kNone;
        for (u32 at = first_open_;; at = next_open_[at]) {
            if (at == words_) return false;
            const u64 bases = bases_at(nodes, node, at);
            if (bases != 0) {
                const u32 state = 64 * at + static_cast<u32>(std::countr_zero(bases));
                return occupy(nodes, node, state - nodes[node.first_child].label);
            }
            if (++refusals_[at] == kRefusals && at + 1 < words_) {
                (before == kNone ? first_open_ : next_open_[before]) = next_open_[at];
            } else {
                before = at;
            }
            if (next_open_[at] == words_ && !grow(words_ + 64)) return false;
        }
    }

    u32 state_count() const { return highest_ + 1; }

private:
    // Appends words of free states, still open.
    bool grow(u32 words) {
        const u32 before = words_;
        // The children of a base in the last word reach up to 256 states beyond it.
        const size_t size = size_t{words} + 5;
        if (!free_.resize(size) || !next_open_.resize(words) || !refusals_.resize(words)) return false;
        for (size_t i = before == 0 ? 0 : before + 5; i < size; ++i) free_[i] = ~u64{0};
        for (u32 i = before; i < words; ++i) {
            next_open_[i] = i + 1;
            refusals_[i] = 0;
        }
        words_ = words;
        return true;
    }

    bool start_degree(u32 degree) {
        degree_ = degree;
        u32* link = &first_open_;
        for (u32 i = 0; i < words_; ++i) {
            refusals_[i] = 0;
            if (free_[i] == 0 && i + 1 < words_) continue;
            *link = i;
            link = &next_open_[i];
        }
        *link = words_;
        return true;
    }

    // The bits of a word where the first child can go so that all children are on free states.
    u64 bases_at(const Buffer<KeyNode>& nodes, const KeyNode& node, u32 at) const {
        const KeyNode& first = nodes[node.first_child];
        u64 states = free_[at];
        if (64 * at < first.label) {  // bases are not negative
            const u32 least = first.label - 64 * at;
            states &= least < 64 ? ~u64{0} << least : 0;
        }
        for (u32 child = first.next_sibling; child != kNone && states != 0; child = nodes[child].next_sibling) {
            const u32 distance = nodes[child].label - first.label, word = at + distance / 64, shift = distance % 64;
            states &= free_[word] >> shift | free_[word + 1] << 1 << (63 - shift);
        }
        return states;
    }

    bool occupy(const Buffer<KeyNode>& nodes, KeyNode& node, u32 base) {
        node.base = base;
        for (u32 child = node.first_child; child != kNone; child = nodes[child].next_sibling) {
            take(base + nodes[child].label);
        }
        return true;
    }

    bool place_one(const Buffer<KeyNode>& nodes, KeyNode& node) {
        const u8 label = nodes[node.first_child].label;
        while (free_[first_free_] == 0) {
            if (++first_free_ == words_ && !grow(words_ + words_ / 2)) return false;
        }
        for (u32 at = first_free_;; ++at) {
            if (at == words_ && !grow(words_ + words_ / 2)) return false;
            if (const u64 states = bases_at(nodes, node, at)) {
                return occupy(nodes, node, 64 * at + static_cast<u32>(std::countr_zero(states)) - label);
            }
        }
    }

    void take(u32 state) {
        free_[state / 64] &= ~(u64{1} << state % 64);
        highest_ = std::max(highest_, state);
    }

    Buffer<u64> free_;       // one bit per state, five words more than `words_`
    Buffer<u32> next_open_;  // the next word worth trying; words_ past the last
    Buffer<u8> refusals_;
    u32 words_ = 0, first_open_ = 0, first_free_ = 0;
    u32 degree_ = 0, highest_ = 0;
};

bool write_words(const Buffer<KeyNode>& nodes, const u32* ids, u32 count, u32* words) {
    u32* const base = words;
    u32* const check = base + count;
    u32* const values = check + count;
    std::fill(base, base + count, 0);
    std::fill(check, values + count, kNone);
    Buffer<u32> states;  // per node; parents come first
    if (!states.assign(nodes.size(), 0)) return false;
    for (u32 i = 0; i < nodes.size(); ++i) {
        const u32 state = states[i];
        base[state] = nodes[i].base;
        if (nodes[i].key != kNone) values[state] = ids[nodes[i].key];
        for (u32 child = nodes[i].first_child; child != kNone; child = nodes[child].next_sibling) {
            states[child] = nodes[i].base + nodes[child].label;
            check[states[child]] = state;
        }
    }
    return true;
}

}  // namespace

Status write_dat(const MatchedTokens& tokens, OwnedBytes* file) {
    SortedTokens sorted;
    Buffer<KeyNode> nodes;
    Buffer<u32> order;
    Packing packing;
    Status status = tokens.sort(&sorted);
    if (status.ok() && sorted.keys().count == 0) return {CRAYON_INVALID_ARGUMENT};
    if (status.ok()) status = link_nodes(sorted.keys(), kMaxNodes, &nodes);
    if (status.ok()) status = order_by_degree(nodes, &order);
    if (!status.ok()) return status;
    bool allocated = packing.start();
    for (size_t i = 0; allocated && i < order.size(); ++i) allocated = packing.place(nodes, order[i]);
    if (!allocated) return Status::out_of_memory();
    const u32 count = packing.state_count(), header[] = {layout::kMagic, 2, count};
    if (!OwnedBytes::allocate(sizeof header + size_t{count} * 3 * sizeof(u32), file)) return Status::out_of_memory();
    std::memcpy(file->data(), header, sizeof header);
    u32* const words = reinterpret_cast<u32*>(file->data() + sizeof header);
    return write_words(nodes, sorted.ids(), count, words) ? Status{} : Status::out_of_memory();
}

}  // namespace crayon
