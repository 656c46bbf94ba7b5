// BPE by its definition, on runs of equal tokens: while any adjacent pair merges, merge all occurrences of the pair of
// lowest rank, from the left. (Merging all of them at once is equivalent, because the new token has a higher rank, and so
// does every pair with it.) A line of a million equals signs is one run, and stays a few runs in each of a dozen rounds.
//
// A repeated multi-byte character is also one unit, on the assumption that it merges before its surroundings. Where that is
// wrong, some tokens are not adjacent (backtracking.h), and everything is merged again from bytes.
#pragma once

#include "cartridge/cartridge.h"
#include "model/bpe_pairs.h"

namespace crayon {

// Writes the ids of bytes that form a few runs of equal bytes or characters, and returns their number; 0 if there are more
// runs, initially or along the way. `ids` needs space for `length`. Cost: linear in the bytes; quadratic in the runs.
u32 merge_runs(const u8* bytes, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* ids);

}  // namespace crayon
