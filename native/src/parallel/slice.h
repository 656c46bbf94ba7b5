// A slice of a job: about a millisecond of work, done by one thread in one go. It is either some whole rows, or a part of
// one long row.
#pragma once

#include "parallel/chain.h"

namespace crayon {

struct Slice {
    enum class State : u8 {
        kWaiting,  // to be encoded from the end of the previous part
        kRunning,
        kEncoded,
        kAccepted  // its ids are ids of the text
    };

    std::atomic<bool> abandoned{false};  // its ids are no longer needed; set while a thread is working on it

    u64 row = 0;  // the first one
    bool is_part = false;
    State state = State::kRunning;

    // Whole rows: row + i is the job's text from row_ends[i] to row_ends[i + 1].
    Buffer<u64> row_ends;
    Buffer<u64> row_counts;  // of their ids

    // A part; positions in bytes of its row.
    bool begins_row = false, ends_row = false;
    bool exact = false;         // it begins at a safe split point of the row's chain
    bool searched = false;      // the meeting point with the previous part was searched for
    bool wasted = false;        // as a guess
    u64 begin = 0, target = 0;  // of its chain; the next part begins at the first safe split point from `target` on
    u64 end = 0;                // the chain's last safe split point

    // For overlapping parts: the chain's safe split points at its beginning, and after its end, with their ids.
    Buffer<SplitPoint> head, tail;
    Buffer<u32> tail_ids;

    Status status;  // its position is in the row
    u64 failed_row = 0;

    // The result is `gap`, the previous part's ids up to the meeting point, then the ids without the skipped ones.
    Buffer<u32> gap, ids;
    u64 gap_size = 0, counted = 0, skipped = 0;  // in ids
    u64 offset = 0;                              // of its ids, in the job's result

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
