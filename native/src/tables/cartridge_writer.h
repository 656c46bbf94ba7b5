// Assembles sections into a cartridge (layout/cartridge.h), and writes the files of vocabularies, for the compiler and for the
// expansion of slim files, so that both produce the same bytes.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "tables/rank_table.h"
#include "tables/sorted_tokens.h"

namespace crayon {

struct SectionBytes {
    layout::SectionId id;
    const void* bytes;
    size_t length;
};

template <class T>
SectionBytes section_of(layout::SectionId id, const Buffer<T>& rows) {
    return {id, rows.data(), rows.size() * sizeof(T)};
}

// Writes the header, the section table, then the sections in the order given (each id once, at most layout::kMaxSections),
// each at a multiple of 64 with zeros between, and the checksum. A reader must understand all of them but the metadata. The
// same sections give the same bytes. OUT_OF_MEMORY, or FILE_TOO_LARGE above layout::kMaxFileLength; `file` is then
// unspecified.
Status write_cartridge(std::span<const SectionBytes> sections, OwnedBytes* file);

// A byte-level BPE vocabulary.
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

// The models whose tokens are in a trie.

// Tokens, and the ones that never match.
struct MatchedTokens {
    TokenList tokens;
    std::span<const u32> unmatched;  // ascending: tokens that no text produces

    // Sorts the matching tokens. DUPLICATE_TOKEN if two are equal.
    Status sort(SortedTokens* sorted) const;
};

// `common`: the sections of every model (metadata through added tokens), plus patterns and templates if any. Fails like
// build_double_array and write_cartridge, and with DUPLICATE_TOKEN. Cost: about 60 ms for 200,000 tokens.
Status write_longest_match_cartridge(std::span<const SectionBytes> common, const MatchedTokens& tokens, OwnedBytes* file);

// The same for WordPiece and Unigram, with their rules in `common`: without the pairs of joined bytes.
Status write_trie_cartridge(std::span<const SectionBytes> common, const MatchedTokens& tokens, OwnedBytes* file);

// The slim form for all of them, without the tables that can be rebuilt.
Status write_slim_longest_match_cartridge(std::span<const SectionBytes> common, const MatchedTokens& tokens, OwnedBytes* file);

}  // namespace crayon
