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

// kPriorities: for merges that no order of tokens describes, because several tokens have the same priority (the scores of
// SentencePiece), or a token has a higher priority than its half. A rank is then any number above the ranks of its halves. The
// adjacent pair whose token has the lowest number here, by rank, is merged first, the leftmost of equals. Tokens that merging
// does not produce may have any number.

// kHidden: for BPE over characters (SentencePiece) rather than bytes. Ids from `visible_count` on are *hidden*: tokens that
// merging needs and no caller sees. They have 1 to kLongestHidden bytes: the beginning of a character that the vocabulary has,
// or, where the vocabulary has no tokens for bytes, a single byte. The merges that complete characters come before all others, so
// merging bytes has the result of merging characters; hidden tokens that remain then belong to characters without a token. They
// are written as the tokens of their bytes if all 256 are visible; else each such character is unknown, or, with kFusesUnknown,
// each run of them.
struct HiddenTokens {
    std::uint32_t visible_count;  // 1 … the token count
    std::uint32_t unknown_id;     // below visible_count; kNone if the 256 bytes are visible, and where something is left out
    std::uint32_t flags;          // HiddenFlags
    std::uint32_t reserved;
};
static_assert(sizeof(HiddenTokens) == 16);
// kEndsWords: each piece is merged with kWordEnd after it, a byte that no text has; a token that ends with it ends a word, and
// its length does not count it. Hidden tokens may then be whole characters, with or without it: one that
// is a token only elsewhere in a word.
//
// kSplitsHidden: for BPE over characters; not with words. A hidden token of several characters, of any
// length, becomes the halves of its split, as the unused pieces of SentencePiece do.
enum HiddenFlags : std::uint32_t {
    kFusesUnknown = 1,
    kEndsWords = 2,
    kSplitsHidden = 4,
};
inline constexpr std::uint32_t kHiddenFlags = kFusesUnknown | kEndsWords | kSplitsHidden;
inline constexpr std::uint8_t kWordEnd = 0xFF;
// In bytes: the beginning of a character; a whole character with kWordEnd.
inline constexpr std::uint32_t kLongestHidden = 3, kLongestHiddenWord = 5;
constexpr std::uint32_t longest_hidden(const HiddenTokens& hidden) {
    const bool has_marks = hidden.flags & kEndsWords;
    if (hidden.flags & kSplitsHidden) return kMaxTokenLength;
    return has_marks ? kLongestHiddenWord : kLongestHidden;
}
// Whether these flags are known, and go together.
constexpr bool are_possible(const HiddenTokens& hidden) {
    const bool splits = hidden.flags & kSplitsHidden;
    return (hidden.flags & ~kHiddenFlags) == 0 && (!splits || (hidden.flags & ~(kSplitsHidden | kFusesUnknown)) == 0);
}
// Whether single bytes may be hidden.
constexpr bool hides_bytes(const HiddenTokens& hidden) { return hidden.unknown_id != kNone; }

constexpr std::uint32_t pair_slot(std::uint32_t id, std::uint64_t hash) {
    return id | static_cast<std::uint32_t>(hash >> 53) << kPairIdBits;
}

}  // namespace crayon::layout
