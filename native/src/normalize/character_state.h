// What a normalizer program does with a character: by itself, and because of others.
#pragma once

#include "base/integers.h"

namespace crayon {

enum CharacterState : u8 {
    kKnown = 1,
    kStays = 2,  // by itself it becomes what it is
    kJoins = 4,  // as in Steps::Relation
    kSpans = 8,
    kDrops = 16,
    kBlank = 32,    // steps that act at edges look beyond it, or may do so
    kMerges = 64,   // with the characters next to it, it may become what a later step knows, unlike each of them
    kSpaced = 128,  // by itself it becomes a space, what it is, and a space
};

// Whether a stretch ends between two characters, if none of these begins or ends a segment; `around`: of the characters before
// and after them.
inline bool are_apart(u32 before, u32 after, u32 around) {
    return ((before | after) & kJoins) == 0 && (before & kDrops) == 0 && (before & after & kSpans) == 0 &&
           (around & kMerges) == 0;
}

}  // namespace crayon
