// BPE whose ranks are not the order of merging (layout::kPriorities), by its definition: as long as any adjacent pair merges,
// merge the pair of the lowest priority, the leftmost of equals.
//
// The ways of merging by rank (model/bpe.h) rely on what is merged being later than its halves, and on one token for each turn.
// Neither holds here: with equal priorities, what a merge makes competes from where it stands. So a few units are in an array,
// which is searched for the lowest; more are linked, with a heap of pairs.
#pragma once

#include "base/buffer.h"
#include "base/least_heap.h"

namespace crayon {

// The working memory: grows to the longest piece so far. One thread.
struct PriorityScratch {
    struct Part {
        u32 made;  // what it and the next one merge to, or kNone
        u32 previous, next;
    };
    Buffer<Part> parts;
    LeastHeap heap;  // priority, part
};

}  // namespace crayon
