// BPE by its definition, on runs of equal tokens: as long as two neighbours merge, all occurrences of the pair of the
// lowest rank do, from the left. (Doing all of them before looking again is the same: what a merge makes has a higher
// rank, and so has every pair it takes part in.) A rule of a million ==== is one run, and a run of runs after each of a
// dozen rounds.
//
// Worth its own way because there the search for the longest token misleads (see backtracking.cpp).
#pragma once

#include "cartridge/cartridge.h"
#include "model/bpe_pairs.h"

namespace crayon {

// Writes the ids of a piece that is a few runs of bytes, and returns their number; 0 for any other piece. `ids` has room
// for `length`. Cost: linear in the ids.
u32 merge_runs(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* ids);

}  // namespace crayon
