// Writes a longest-match vocabulary as a file of version 2 (FORMAT.md §9): BASE, CHECK and VALUES.
//
// The child of state s by byte c is at BASE[s] + c, for whatever base keeps all children of s off states that are
// taken. States with many children choose first, while there is room; for each, 64 bases are tried at once: a bit says
// which states are free, and the words of bits that begin at the places of its children are put together by AND. A
// place that has refused a few is not asked again by states of that many children. Those with one child fill what is
// left.
#pragma once

#include "base/owned_bytes.h"
#include "base/status.h"
#include "expand/longest_match_cartridge.h"

namespace crayon {

// The unmatched tokens are left out. The same tokens give the same bytes. What is not used has BASE 0, CHECK −1 and
// VALUES −1, as CHECK of the root. OUT_OF_MEMORY, DUPLICATE_TOKEN, VOCABULARY_TOO_LARGE. Cost: linear in the bytes;
// 206,000 tokens with 436,000 states take about 40 ms and leave none free.
Status write_dat(const MatchedTokens& tokens, OwnedBytes* file);

}  // namespace crayon
