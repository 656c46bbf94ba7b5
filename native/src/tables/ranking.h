// An ordering of the ids below some bound, most used first (layout/merges.h).
//
// Invariant: positions hold ids by descending number of uses; first_[n] is the first position with n uses. A use swaps an
// id with the first one of equal use, which costs two writes for any position.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/merges.h"

namespace crayon {

class Ranking {
public:
    // Puts every id at the position of its own number, unused. False if memory is short. Pages take memory only when first
    // written.
    [[nodiscard]] bool start(u32 id_count) { return entries_.zeroed(id_count) && first_.zeroed(layout::kMaxUses + 1); }
    bool started() const { return !entries_.empty(); }

    u32 id_at(u32 position) const { return (entries_[position] & kIdMask) ^ position; }

    // Counts a use of the id at `position`; returns its new position. The id from there moves to `position`.
    u32 use(u32 position) {
        const u32 uses = entries_[position] >> kIdBits;
        if (uses == layout::kMaxUses) return position;
        const u32 first = first_[uses]++, id = id_at(position), other = id_at(first);
        entries_[position] = (other ^ position) | uses << kIdBits;
        entries_[first] = (id ^ first) | (uses + 1) << kIdBits;
        return first;
    }

private:
    static constexpr u32 kIdBits = 21;
    static constexpr u32 kIdMask = (1u << kIdBits) - 1;

    Buffer<u32> entries_;  // id ^ position | uses << kIdBits: zeroed memory is the initial ranking
    Buffer<u32> first_;
};

}  // namespace crayon
