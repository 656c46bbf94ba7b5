// Writes the file of a byte-level BPE vocabulary, for the compiler and for the expansion of slim files, so that both
// produce the same bytes.
#pragma once

#include <span>

#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "tables/cartridge_writer.h"
#include "tables/rank_table.h"

namespace crayon {

struct BpeVocabulary {
    TokenList tokens = {};                  // by id
    TokenList ranked = {};                  // the same, by rank
    const layout::Split* splits = nullptr;  // by rank
    // If ids are not ranks: the id of each rank, and the inverse; otherwise null.
    const u32* ids = nullptr;
    const u32* ranks = nullptr;
    std::span<const u32> unmatched = {};  // ids, ascending
};

// `common`: the sections of every model (metadata through added tokens), plus patterns and templates if any. Fails like the
// builders of bpe_tables.h and write_cartridge. Cost: about 60 ms for 200,000 tokens.
Status write_bpe_cartridge(std::span<const SectionBytes> common, const BpeVocabulary& vocabulary, OwnedBytes* file);

// Adds the optional sections of both forms, if the vocabulary needs them: kUnmatched and kIds. False if memory is short.
bool add_order(const BpeVocabulary& vocabulary, Buffer<SectionBytes>* sections, Buffer<u32>* unmatched);

}  // namespace crayon
