// Writes a longest-match vocabulary as a file of version 2 (FORMAT.md §9): BASE, CHECK and VALUES.
//
// The child of state s by byte c is at BASE[s] + c, for any base with which all children of s are on free
// states. States with many children are placed first, while most states are free. 64 bases are tried at once: a bit set
// has the free states, and the words of bits at the labels of the children are combined by AND. A word that had no base
// for a few states with that many children is not tried again for such states. States with one child fill the gaps.
#pragma once

#include "base/owned_bytes.h"
#include "base/status.h"
#include "tables/longest_match_cartridge.h"

namespace crayon {

// Unmatched tokens are omitted. The same tokens result in the same bytes. Unused states have BASE 0, CHECK −1 and
// VALUES −1; the root has CHECK −1. OUT_OF_MEMORY, DUPLICATE_TOKEN, VOCABULARY_TOO_LARGE; INVALID_ARGUMENT if no token is
// matched, because a reader refuses such a file. Cost: linear in the bytes; 206,000 tokens with 436,000 states take about
// 40 ms and leave none free.
Status write_dat(const MatchedTokens& tokens, OwnedBytes* file);

}  // namespace crayon
