// Which tokens merge, and which may follow each other: the lookups that all ways of merging share.
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "platform/prefetch.h"

namespace crayon {

class BpePairs {
public:
    BpePairs() = default;
    explicit BpePairs(const BpeView& tables)
        : t_(tables.pairs), splits_(tables.splits), max_token_length_(tables.max_token_length) {}

    // The id that left and right merge to, or kNone.
    u32 merged(u32 left, u32 right) const {
        const u64 hash = this->hash(left, right);
        const u32 slot = t_.entry(hash), id = slot & layout::kMaxTokens;
        if (slot != layout::pair_slot(id, hash)) [[likely]]
            return layout::kNone;
        return id != layout::kMaxTokens && is_split(id, left, right) ? id : layout::kNone;
    }

    // The same in steps, so that the cache misses of several lookups overlap: only the candidate, if there is one, can be
    // the id, and it is the id if left and right are its split. Most candidates are.
    u64 hash(u32 left, u32 right) const { return layout::hash_word(left | u64{right} << 32, 0, t_.seed); }
    const u32* slot(u64 hash) const { return &t_.entry(hash); }
    static u32 print(u64 hash) { return layout::pair_slot(0, hash); }
    u32 candidate(u64 hash) const {
        const u32 id = *slot(hash) ^ print(hash);
        return id < layout::kMaxTokens ? id : layout::kNone;
    }
    void prefetch_split(u32 id) const { crayon::prefetch(splits_ + id); }
    bool is_split(u32 id, u32 left, u32 right) const { return splits_[id].left == left && splits_[id].right == right; }

    // For all adjacent units: ranks[i] is the merge of units i and i + 1. At most kTogether units.
    static constexpr u32 kTogether = 64;
    void merged_all(const u32* units, u32 count, u32* ranks) const {
        // All cache misses first, so that they overlap.
        for (u32 i = 0; i + 1 < count; ++i) ranks[i] = candidate(hash(units[i], units[i + 1]));
        for (u32 i = 0; i + 1 < count; ++i) {
            const layout::Split split = splits_[ranks[i] == layout::kNone ? 0 : ranks[i]];
            if ((split.left != units[i]) | (split.right != units[i + 1])) ranks[i] = layout::kNone;
        }
    }

    // Whether the BPE encoding of left's and right's bytes is [left, right].
    //
    // Undoes the merges inside left and right from the latest to the earliest. If, once all merges of rank ≥ bound are
    // undone, the two tokens at the border merge into a rank below bound, BPE would have done that merge first, and the
    // border would not exist. Equal ranks merge from the left, so undoing `right` leaves right itself as a competitor
    // (bound right + 1).
    bool adjacent(u32 left, u32 right) const {
        u32 bound = layout::kNone;
        // A token of n bytes has fewer than n merges; the count only ends the loop for a damaged table.
        for (u32 steps = 2 * max_token_length_; steps > 0; --steps) {
            if (merged(left, right) < bound) return false;
            const u32 left_inner = splits_[left].right, right_inner = splits_[right].left;
            const bool left_whole = left_inner == left, right_whole = right_inner == right;
            if (left_whole && right_whole) return true;
            // The side to undo first is unpredictable, so no branch.
            const bool left_later = left > right, undo_left = !left_whole && (left_later | right_whole);
            bound = undo_left ? left : right + 1;
            left = undo_left ? left_inner : left;
            right = undo_left ? right : right_inner;
        }
        return true;
    }

private:
    PerfectHashView<u32> t_;
    const layout::Split* splits_ = nullptr;
    u32 max_token_length_ = 0;
};

// Which tokens may follow which, with cached answers: the check takes about ten dependent reads, and a piece of many tokens
// repeats the same pairs.

// One thread, one vocabulary.
class Adjacency {
public:
    // Allocates the memory on first use; false if memory is short.
    bool ready() { return !answers_.empty() || answers_.zeroed(u64{1} << kBits); }

    // Same result as pairs.adjacent.
    bool adjacent(u32 left, u32 right, const BpePairs& pairs) {
        const u64 key = (left | u64{right} << layout::kPairIdBits) << 2 | 2;
        u64& entry = answers_[key * layout::kMixA >> (64 - kBits)];
        if ((entry | 1) != (key | 1)) entry = key | !pairs.adjacent(left, right);
        return (entry & 1) == 0;
    }

private:
    static constexpr u32 kBits = 13;

    Buffer<u64> answers_;  // the pair, 21 bits each; bit 1: in use; bit 0: not adjacent
};

}  // namespace crayon
