// BPE by its definition, on runs of equal tokens: as long as any adjacent pair merges, merge all occurrences of the
// pair of the lowest rank, from the left. (Merging all of them before looking again is the same, because the new token
// has a higher rank, and so has every pair with it.) A line of a million equals signs is one run, and stays a few runs
// in each of a dozen rounds.
//
// This is separate because trying the longest token first is slow there (see backtracking.cpp).
#pragma once

#include "cartridge/cartridge.h"
#include "model/bpe_pairs.h"

namespace crayon {

// Writes the ids of a piece that is a few runs of equal bytes, and returns their number; 0 for any other piece. `ids`
// has space for `length`. Cost: linear in the ids.
u32 merge_runs(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* ids);

}  // namespace crayon
