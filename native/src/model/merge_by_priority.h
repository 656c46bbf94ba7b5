// BPE whose ranks are not the order of merging (layout::kPriorities), by its definition: as long as any adjacent pair merges,
// merge the pair of the lowest priority, the leftmost of equals.
//
// The algorithms that merge by rank (model/bpe.h) require that a token comes after its halves, and that ranks are unique. Neither
// holds for priorities: of equal ones, the position decides, also for the result of a merge. So a few units are in an array,
// which is searched for the lowest; more are linked, with a heap of pairs.
#pragma once

#include "base/buffer.h"
#include "base/least_heap.h"

namespace crayon {

// The working memory: grows to the longest piece so far. One thread.
struct PriorityScratch {
    struct Part {
        u32 token;  // the token that it and the next one merge to, or kNone
        u32 previous, next;
    };
    Buffer<Part> parts;
    LeastHeap heap;  // priority, part
};

}  // namespace crayon
