// An order of the ids below some bound in which the ones used most come first (layout/merges.h).
//
// Invariant: places contain ids by descending number of uses; first_[n] is the first place of those with n uses. A use
// swaps an id with the first one of equal use, which costs two writes wherever the id is.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/merges.h"

namespace crayon {

class Ranking {
public:
    // Puts every id in the place of its own number, unused. False if memory is short. Pages take memory when first
    // written.
    [[nodiscard]] bool start(u32 id_count) { return entries_.zeroed(id_count) && first_.zeroed(layout::kMaxUses + 1); }
    bool started() const { return !entries_.empty(); }

    u32 id_at(u32 place) const { return (entries_[place] & kIdMask) ^ place; }

    // Counts a use of the id in `place`; returns its new place. The id that was there is moved to `place`.
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
