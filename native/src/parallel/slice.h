// A slice of a job: about a millisecond of work, which one thread does without a pause. It is either some whole rows,
// or a part of one long row.
#pragma once

#include "parallel/chain.h"

namespace crayon {

struct Slice {
    enum class State : u8 {
        kWaiting,  // to be encoded from where the part before it ends
        kRunning,
        kEncoded,
        kAccepted  // its ids are those of the text
    };

    std::atomic<bool> abandoned{false};  // its ids are not needed any more; set while a thread is at work on it

    u64 row = 0;  // the first one
    bool is_part = false;
    State state = State::kRunning;

    // Whole rows: row + i is the text of the job from row_ends[i] to row_ends[i + 1].
    Buffer<u64> row_ends;
    Buffer<u64> row_counts;  // of their ids

    // A part, in bytes of its row.
    bool begins_row = false, ends_row = false;
    bool exact = false;         // it begins at a safe split point of the row's chain
    bool searched = false;      // for where the part before it meets it
    bool wasted = false;        // it has been counted as a guess in vain
    u64 begin = 0, target = 0;  // of its chain; the first safe split point from there on is for the next part
    u64 end = 0;                // the chain's last safe split point

    // Where parts overlap: the chain's safe split points at its beginning, and those after its end, with their ids.
    Buffer<SplitPoint> head, tail;
    Buffer<u32> tail_ids;

    Status status;  // with a position in the row
    u64 failed_row = 0;

    // The result is `gap`, ids of the part before it up to where the two meet, and the ids without the skipped ones.
    Buffer<u32> gap, ids;
    u64 gap_size = 0, counted = 0, skipped = 0;  // numbers of ids
    u64 offset = 0;                              // of its ids in the result of the job

    u64 size() const { return gap_size + counted - skipped; }
    void drop_ids() {
        gap = Buffer<u32>();
        ids = Buffer<u32>();
        head = Buffer<SplitPoint>();
        tail = Buffer<SplitPoint>();
        tail_ids = Buffer<u32>();
        gap_size = counted = skipped = 0;
    }
};

}  // namespace crayon
