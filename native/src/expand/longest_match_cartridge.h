// The whole file of a longest-match vocabulary: what the compiler writes and what a slim file is expanded to, so that
// both are the same bytes.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "expand/cartridge_writer.h"
#include "expand/rank_table.h"
#include "expand/sorted_tokens.h"

namespace crayon {

// Tokens as they match and as they do not.
struct MatchedTokens {
    TokenList tokens;
    std::span<const u32> unmatched;  // ascending: tokens that no text gives

    // All others but the holes. DUPLICATE_TOKEN if two of them are equal.
    Status sort(SortedTokens* sorted) const;
};

// `common`: the sections that every model has, metadata to added tokens, in order of id. Fails as build_double_array
// and write_cartridge do, and with DUPLICATE_TOKEN. Cost: about 60 ms for 200,000 tokens.
Status write_longest_match_cartridge(std::span<const SectionBytes, 4> common, const MatchedTokens& tokens,
                                     OwnedBytes* file);

// The same without what can be made again.
Status write_slim_longest_match_cartridge(std::span<const SectionBytes, 4> common, const MatchedTokens& tokens,
                                          OwnedBytes* file);

}  // namespace crayon
