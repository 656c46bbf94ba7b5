// BPE by its definition, on the units of a piece: while any adjacent pair merges, merge the pair of lowest rank, the
// leftmost on ties.
//
// Two ways for two sizes. A few units are in an array, which is searched for the lowest rank. More units are linked, and
// groups of eight keep their lowest rank, so that a search takes two looks at eight numbers. Longer pieces are merged
// window by window (merge_windows.h).
#pragma once

#include "base/integers.h"
#include "crayon/layout/cartridge.h"
#include "model/bpe_pairs.h"

namespace crayon {

// Merges units[0, count) in place; ranks[i] is the merge of units i and i + 1, or kNone, and is overwritten. Returns the
// number of tokens left. Quadratic, and the fastest up to about twenty units.
inline u32 merge_few(u32* units, u32* ranks, u32 count, const BpePairs& pairs) {
    for (u32 last = count - 1;; --last) {
        u32 lowest = layout::kNone, at = 0;
        for (u32 i = 0; i < last; ++i) {
            if (ranks[i] < lowest) lowest = ranks[i], at = i;
            asm volatile("");  // keeps this a branch: mostly predicted, it costs less than a dependent read
        }
        if (lowest == layout::kNone) return last + 1;
        units[at] = lowest;
        for (u32 i = at + 1; i < last; ++i) {
            units[i] = units[i + 1];
            ranks[i] = ranks[i + 1];
        }
        if (at > 0) ranks[at - 1] = pairs.merged(units[at - 1], lowest);
        if (at + 1 < last) ranks[at] = pairs.merged(lowest, units[at + 1]);
    }
}

// Up to 64 units at a time.
class RankMerger {
public:
    static constexpr u32 kUnits = 64;

    // Merges units[0, count), 1 … kUnits of them, in place; `ranks` as above, but not changed. Returns the set of units
    // where the remaining tokens begin.
    u64 merge(u32* units, const u32* ranks, u32 count, const BpePairs& pairs) {
        const u32 groups = (count + kGroup - 1) / kGroup;
        for (u32 i = 0; i < groups * kGroup; ++i) keys_[i] = layout::kNone;
        for (u32 i = 0; i + 1 < count; ++i) set(i, ranks[i]);
        for (u32 i = 0; i < count; ++i) {
            next_[i] = static_cast<u8>(i + 1);
            previous_[i + 1] = static_cast<u8>(i);
        }
        for (u32 g = 0; g < groups; ++g) lowest_[g] = lowest_of(g);
        for (;;) {
            u32 lowest = lowest_[0];
            for (u32 g = 1; g < groups; ++g) lowest = lowest_[g] < lowest ? lowest_[g] : lowest;
            if (lowest == layout::kNone) break;
            const u32 i = lowest % kUnits, id = lowest / kUnits, gone = next_[i], after = next_[gone];
            units[i] = id;
            next_[i] = static_cast<u8>(after);
            previous_[after] = static_cast<u8>(i);
            keys_[gone] = keys_[i] = layout::kNone;
            if (after < count) set(i, pairs.merged(id, units[after]));
            if (i > 0) {
                const u32 before = previous_[i];
                set(before, pairs.merged(units[before], id));
                lowest_[before / kGroup] = lowest_of(before / kGroup);
            }
            lowest_[i / kGroup] = lowest_of(i / kGroup);
            if (gone / kGroup != i / kGroup) lowest_[gone / kGroup] = lowest_of(gone / kGroup);
        }
        u32 left = 0;
        u64 begins = 0;
        for (u32 i = 0; i < count; i = next_[i]) {
            begins |= u64{1} << i;
            units[left++] = units[i];
        }
        return begins;
    }

private:
    static constexpr u32 kGroup = 8;
    static_assert(u64{layout::kMaxTokens} * kUnits < layout::kNone);

    void set(u32 i, u32 id) { keys_[i] = id == layout::kNone ? id : id * kUnits + i; }
    u32 lowest_of(u32 group) const {
        // One by one: a vector load right after the store of one of its elements would stall.
        const volatile u32* k = keys_ + group * kGroup;
        const auto least = [](u32 a, u32 b) { return a < b ? a : b; };
        return least(least(least(k[0], k[1]), least(k[2], k[3])), least(least(k[4], k[5]), least(k[6], k[7])));
    }

    u32 keys_[kUnits];  // rank · 64 + unit, of the pair that begins at the unit
    u32 lowest_[kUnits / kGroup];
    u8 next_[kUnits + 1], previous_[kUnits + 1];
};

}  // namespace crayon
