// Writes the vocabulary of a slim cartridge (layout/merges.h): the section kMerges, read back by read_merge_list.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "tables/rank_table.h"

namespace crayon {

// Takes tokens and splits in the form build_splits uses. The same input gives the same bytes. OUT_OF_MEMORY, or
// VOCABULARY_TOO_LARGE if the tokens have more than layout::kMaxSlimTokenBytes bytes. Cost: linear.
Status write_merge_list(const TokenList& tokens, const layout::Split* splits, Buffer<u8>* section);

}  // namespace crayon
