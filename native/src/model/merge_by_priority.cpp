// BPE whose ranks are not the order of merging (layout::kPriorities), by its definition: as long as any adjacent pair merges,
// merge the pair of the lowest priority, the leftmost of equals.
//
// The algorithms that merge by rank (model/bpe.h) require that a token comes after its halves, and that ranks are unique. Neither
// holds for priorities: of equal ones, the position decides, also for the result of a merge. So a few units are in an array,
// which is searched for the lowest; more are merged by a heap.
#include "model/bpe.h"

namespace crayon {

namespace {

using layout::kNone;

// Up to this many units are merged in an array, which takes time with their square.
constexpr u32 kMostInArray = 24;

u32 merge_in_array(u32* units, u32 count, const BpePairs& pairs, const u32* priorities) {
    u32 tokens[kMostInArray];
    for (u32 i = 0; i + 1 < count; ++i) tokens[i] = pairs.merged(units[i], units[i + 1]);
    for (;; --count) {
        u32 at = kNone;
        for (u32 i = 0; i + 1 < count; ++i) {
            if (tokens[i] != kNone && (at == kNone || priorities[tokens[i]] < priorities[tokens[at]])) at = i;
        }
        if (at == kNone) return count;
        units[at] = tokens[at];
        for (u32 i = at + 1; i + 1 < count; ++i) {
            units[i] = units[i + 1];
            tokens[i] = tokens[i + 1];
        }
        if (at > 0) tokens[at - 1] = pairs.merged(units[at - 1], units[at]);
        if (at + 2 < count) tokens[at] = pairs.merged(units[at], units[at + 1]);
    }
}

}  // namespace

// From the characters of BPE over characters, which are complete before anything else merges, else from bytes. n log n.
bool Bpe::merge_by_priority(const u8* piece, u32 length, BpeScratch& scratch) const {
    if (!scratch.ids.resize(length)) return false;
    u32* const units = scratch.ids.data();
    u32 count = 0;
    if (hidden_.any() && t_.crossings.empty()) {
        if (!scratch.characters.ready(t_)) return false;
        count = scratch.characters.units(piece, length, pairs_, byte_ids_, units).count;
    }
    if (count == 0) {
        count = length;
        for (u32 i = 0; i < length; ++i) units[i] = byte_ids_[piece[i]];
    }
    if (count <= kMostInArray) {
        count = merge_in_array(units, count, pairs_, t_.priorities);
    } else {
        scratch.by_heap.pairs() = {&pairs_, t_.priorities};
        if (!scratch.by_heap.merge(
                count, [&](u32 i) { return units[i]; }, [](u32, u32, u32, u32) { return true; }))
            return false;
        count = scratch.by_heap.take(units);
    }
    scratch.ids.truncate(to_ids(piece, length, units, count, length));
    return true;
}

}  // namespace crayon
