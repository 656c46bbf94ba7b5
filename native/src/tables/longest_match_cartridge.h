// Writes the file of a longest-match vocabulary, for the compiler and for the expansion of slim files, so that both produce
// the same bytes.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "tables/cartridge_writer.h"
#include "tables/rank_table.h"
#include "tables/sorted_tokens.h"

namespace crayon {

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
