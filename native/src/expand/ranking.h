// The ids below some bound in an order in which those named often come first (layout/merges.h).
//
// The invariant: places hold ids by falling number of uses; first_[n] is the first place of those with n uses. Naming
// an id exchanges it with the first of its equals, so that a use costs two writes wherever the id is.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/merges.h"

namespace crayon {

class Ranking {
public:
    // Every id in the place of its own number, none used. False: memory is short. Pages are taken as places are named.
    [[nodiscard]] bool start(u32 id_count) { return entries_.zeroed(id_count) && first_.zeroed(layout::kMaxUses + 1); }
    bool started() const { return !entries_.empty(); }

    u32 id_at(u32 place) const { return (entries_[place] & kIdMask) ^ place; }

    // Counts a use of the id in `place`; returns the place that it has then. The one that was there is now in `place`.
    u32 use(u32 place) {
        const u32 uses = entries_[place] >> kIdBits;
        if (uses == layout::kMaxUses) return place;
        const u32 first = first_[uses]++, id = id_at(place), other = id_at(first);
        entries_[place] = (other ^ place) | uses << kIdBits;
        entries_[first] = (id ^ first) | (uses + 1) << kIdBits;
        return first;
    }

private:
    static constexpr u32 kIdBits = 21;
    static constexpr u32 kIdMask = (1u << kIdBits) - 1;

    Buffer<u32> entries_;  // id ^ place | uses << kIdBits: zeroed memory is the ranking at the start
    Buffer<u32> first_;
};

}  // namespace crayon
