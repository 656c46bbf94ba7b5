// Builds the tables of byte-level BPE (layout/bpe.h) from the tokens: each function writes the exact bytes of one section.
// The compiler uses them for whole files; the expansion of a slim file for the sections that it leaves out.
//
// The same tokens always give the same bytes. Tokens are in rank order, distinct, at most layout::kMaxTokens; empty ones
// are holes. Every function can fail with OUT_OF_MEMORY and BUILD_FAILED, and runs on the caller's thread only.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "tables/rank_table.h"

namespace crayon {

// Section kSplits: how merging makes each token. For every token, BPE runs on the token's own bytes: the adjacent pair
// whose joined bytes have the lowest rank is merged, the leftmost on ties, until no pair is a token.
//
// BUILD_FAILED with the token's id in `position` if merging makes it from a token of higher rank (only in handmade
// vocabularies: "abc" 300, "ab" 301, no "bc"). Ranks are not the order of merging there, so these tables cannot describe
// it. Cost: n log n in the bytes of the tokens.
Status build_splits(const TokenList& tokens, const RankTable& ranks, Buffer<layout::Split>* splits);

// Sections kPieces8, kPieces24 and kPiecesLong: the tokens of 1…8, 9…24 and more bytes. `unmatched`: tokens to leave out,
// ascending.
Status build_pieces8(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched = {});
Status build_pieces24(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched = {});
Status build_pieces_long(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched = {});

// Section kPairs: the tokens with a split, keyed by the split.
Status build_pairs(const layout::Split* splits, u32 token_count, Buffer<u8>* section);

// Section kTrie: the tokens that merging can reach, i.e. single bytes and tokens with a split. Also fails with
// VOCABULARY_TOO_LARGE.
Status build_trie(const TokenList& tokens, const layout::Split* splits, Buffer<u8>* section);

// Section kCrossings.
Status build_crossings(const TokenList& tokens, const layout::Split* splits, Buffer<u8>* section);

}  // namespace crayon
