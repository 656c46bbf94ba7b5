// BPE by its definition, on the units of a piece: while any adjacent pair merges, merge the pair of lowest rank, the
// leftmost on ties. For few units, which are in an array that is searched for the lowest rank; more are merged in a lane
// (merge_lanes.h), and longer pieces window by window (merge_windows.h).
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

}  // namespace crayon
