// How a normalizer program treats a character: alone, and because of its neighbours.
#pragma once

#include "base/integers.h"

namespace crayon {

enum CharacterState : u8 {
    kKnown = 1,
    kStays = 2,  // alone, it is unchanged
    kJoins = 4,  // as in Steps::Relation
    kSpans = 8,
    kDrops = 16,
    kBlank = 32,    // steps that act at edges look past it, or may do so
    kMerges = 64,   // combined with its neighbours, it may become something that a later step reacts to, unlike each of
                    // them alone
    kSpaced = 128,  // alone, it becomes a space, itself, and a space
};

// Whether a range ends between two characters, if neither begins or ends a segment; `around`: the states of the
// characters before and after the pair.
inline bool are_apart(u32 before, u32 after, u32 around) {
    return ((before | after) & kJoins) == 0 && (before & kDrops) == 0 && (before & after & kSpans) == 0 &&
           (around & kMerges) == 0;
}

}  // namespace crayon
