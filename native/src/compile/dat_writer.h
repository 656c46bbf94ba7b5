// Writes a longest-match vocabulary as a version 2 file (FORMAT.md §9): BASE, CHECK and VALUES.
//
// The child of state s for byte c is at BASE[s] + c, for any base that puts all children of s on free states. States with
// many children are placed first, while most states are free. 64 bases are tried at once: a bit set marks the free states,
// and the words of bits at the children's labels are combined with AND. A word that failed for a few states with the same
// number of children is not tried again for such states. States with one child fill the gaps.
#pragma once

#include "base/owned_bytes.h"
#include "base/status.h"
#include "tables/cartridge_writer.h"

namespace crayon {

// Unmatched tokens are omitted. The same tokens give the same bytes. Unused states have BASE 0, CHECK −1 and VALUES −1; the
// root has CHECK −1. OUT_OF_MEMORY, DUPLICATE_TOKEN, VOCABULARY_TOO_LARGE; INVALID_ARGUMENT if no token is matched, because
// readers reject such a file. Cost: linear in the bytes; 206,000 tokens with 436,000 states take about 40 ms and leave no
// state free.
Status write_dat(const MatchedTokens& tokens, OwnedBytes* file);

}  // namespace crayon
