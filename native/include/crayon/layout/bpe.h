// The tables of byte-level BPE (cartridges/FORMAT.md §5). Ids are merge ranks: a lower id merges first.
//
// A vocabulary whose ids are in another order has kIds, which has the id of each rank, and the inverse, kRanks. Then
// kSplits, kPairs, kTrie and kCrossings are about ranks, all other tables about ids. kUnmatched: tokens that no text
// produces, neither by merging nor as a whole piece. They are not in kPieces8, kPieces24 and kPiecesLong.
#pragma once

#include <cstdint>

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

// Entries of kPieces8 and kPieces24: the token's bytes little-endian, zeros above. An empty slot has length 0.
struct Piece8 {
    std::uint64_t key;
    std::uint32_t id;
    std::uint32_t length;
};
static_assert(sizeof(Piece8) == 16);

struct Piece24 {
    std::uint64_t key[3];
    std::uint32_t id;
    std::uint32_t length;
};
static_assert(sizeof(Piece24) == 32);

// kPiecesLong: u32 id, compared by its bytes in kTokenBytes; kNone in an empty slot.

// The last merge that makes a token: BPE of its bytes with the merges below its own rank is exactly [left, right]. Both
// are less than the token's id (checked), so following splits terminates. Single bytes, holes and tokens that merging
// cannot reach have left == right == the token's own id.
struct Split {
    std::uint32_t left;
    std::uint32_t right;
};
static_assert(sizeof(Split) == 8);

// kPairs: for each token with a split, one u32 found by hash_word(left | right << 32, 0): the token's id in the low 21
// bits, the low 11 bits of (hash >> 53) above. kNone if empty; the reader compares kSplits[id] on a fingerprint match.
inline constexpr std::uint32_t kPairIdBits = 21;
static_assert(kMaxTokens == (1u << kPairIdBits) - 1);

// kCrossings: the tokens whose split lies on the border between two characters of UTF-8 (the right half begins with no
// continuation byte) and whose left half is only the end of a character (continuation bytes alone) or whose right half
// is only the beginning of one (a first byte and fewer continuation bytes than it requires). Where the text contains no
// such token, merging completes every character before it merges across borders.

constexpr std::uint32_t pair_slot(std::uint32_t id, std::uint64_t hash) {
    return id | static_cast<std::uint32_t>(hash >> 53) << kPairIdBits;
}

}  // namespace crayon::layout
