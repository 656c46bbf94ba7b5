// The pairs of the alphabet: counts them in the whole corpus and lists their positions.
#pragma once

#include "train/pair_queue.h"
#include "train/position_lists.h"
#include "train/sequences.h"
#include "train/thread_pool.h"

namespace crayon::train {

// One for each pair that occurs at least `min_count` times; `key` is not set, `since` is 0. `ids`: all tokens in the
// sequences, at most 256, each less than `tokens`.
[[nodiscard]] bool first_pairs(const Sequences& sequences, const Buffer<u32>& ids, u32 tokens, u64 min_count,
                               ThreadPool& thread_pool, PositionLists* lists, Buffer<QueuedPair>* pairs, Buffer<Pair>* which);

}  // namespace crayon::train
