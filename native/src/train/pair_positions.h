// Finds and merges the positions of a pair. Long lists are divided among threads.
#pragma once

#include "train/sequences.h"
#include "train/thread_pool.h"

namespace crayon::train {

// The occurrences of a token: positions, ascending; the tokens before and after each (Sequences::kNone if there is none);
// and the range of each.
struct Occurrences {
    u32* positions = nullptr;
    u32 count = 0;
    Buffer<u32> before, after, ranges;

    [[nodiscard]] bool resize(u32 size) {
        count = size;
        return before.resize(size) && after.resize(size) && ranges.resize(size);
    }
};

class PairPositions {
public:
    static constexpr u32 kTaskPositions = 4096;  // fewer are not worth a task

    PairPositions(Sequences& sequences, const TokenTable& tokens, ThreadPool& thread_pool)
        : sequences_(sequences), tokens_(tokens), thread_pool_(thread_pool) {}

    // Removes the positions where the pair no longer is; returns its count at the others.
    u64 recount(Pair pair, u32* positions, u32* length);
    // The same as a separate task.
    u64 recount_alone(Pair pair, u32* positions, u32 length, u32* new_length) const;
    // From overlapping positions of a pair of equal tokens, ascending, keeps those where it is merged.
    u32 without_overlaps(u32 token, u32* positions, u32 length) const;
    // Merges a pair at all of these positions where it still is and does not overlap itself. False: memory is short.
    [[nodiscard]] bool merge(Pair pair, u32 merged, u32* positions, u32 length, Occurrences* out);

private:
    static constexpr u32 kMaxTasks = 64;

    u32 tasks_for(u32 length) const;
    void merge_part(Pair pair, u32 merged, Occurrences* out, u32 begin, u32 end);

    Sequences& sequences_;
    const TokenTable& tokens_;
    ThreadPool& thread_pool_;
};

}  // namespace crayon::train
