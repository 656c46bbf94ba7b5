// BPE by its definition, on runs of equal tokens: as long as any adjacent pair merges, merge all occurrences of the
// pair of the lowest rank, from the left. (Merging all of them before looking again is the same, because the new token
// has a higher rank, and so has every pair with it.) A line of a million equals signs is one run, and stays a few runs
// in each of a dozen rounds.
//
// A character of several bytes that is repeated is a unit too, as if it were merged before what is around it. Where that
// is not so, some tokens are not adjacent (backtracking.h), and everything is merged from bytes.
#pragma once

#include "cartridge/cartridge.h"
#include "model/bpe_pairs.h"

namespace crayon {

// Writes the ids of bytes that are at most `most_runs` runs of equal bytes or characters, and returns their number; 0 if they are
// more, or too many on the way. `ids` has space for `length`. Cost: linear in the bytes; quadratic in the runs.
u32 merge_runs(const u8* bytes, u32 length, u32 most_runs, const BpePairs& pairs, const u32* byte_ids, u32* ids);

// The end of the run of equal bytes that begins at `at`.
u32 run_end(const u8* bytes, u32 at, u32 length);

// The end of the run that the `width` bytes before `at` are the beginning of.
u32 character_run_end(const u8* bytes, u32 at, u32 length, u32 width);

}  // namespace crayon
