// Reads the vocabulary of a slim cartridge (layout/merges.h): tokens and splits from a section kMerges.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "tables/rank_table.h"

namespace crayon {

struct MergedTokens {
    Buffer<u8> bytes;
    Buffer<u32> offsets;  // token_count + 1
    Buffer<layout::Split> splits;

    TokenList tokens() const { return {bytes.data(), offsets.data(), static_cast<u32>(offsets.size()) - 1}; }
};

// `section` is at `offset` of its file. The tokens must have the number and the greatest length that the model states.
// Every rule of FORMAT.md §5.4 is checked for any bytes: CORRUPT_STRUCTURE with the position, or OUT_OF_MEMORY. Duplicate
// tokens are not detected. Cost: linear in the tokens and their bytes, at most kMaxSlimTokenBytes; 200,000 tokens take
// about 10 ms.
Status read_merge_list(const u8* section, u64 length, u64 offset, const layout::Model& model, MergedTokens* out);

}  // namespace crayon
