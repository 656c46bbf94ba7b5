// Longest match: the longest token that begins at a position of the text, then the longest one at its end, and so on. If no
// token begins at a position, the character there is unknown.
//
// The position is the whole state. So a piece may be matched alone if no token can cross its borders; a piece cut elsewhere
// yields the tokens that begin in it, and the last of them may end after it.
//
// A model for PieceEncoder. The trie is in the cartridge and has passed the validator. Several threads may use one
// LongestMatch at once.
#pragma once

#include "cartridge/cartridge.h"
#include "model/piece_encoder.h"
#include "tables/double_array.h"

namespace crayon {

class LongestMatch {
public:
    using Scratch = PieceScratch;

    LongestMatch() = default;
    explicit LongestMatch(const LongestMatchView& tables);

    // Whether a text can contain a character where no token begins.
    bool has_unknown_characters() const { return !has_all_bytes_; }

    // The token with exactly these bytes, or kNone; walks the trie.
    u32 token_of(const u8* bytes, u32 length) const;

    // Nothing is faster than walking the trie.
    static constexpr bool kFindsWhole = false;

    // Puts the tokens that begin in a piece into scratch.ids. An unknown character becomes kFirstReservedId + its
    // length, or ends the piece if the vocabulary has no unknown id. The last token may extend to `limit` (at least
    // `length`); `end` is its end. False if memory is short. Cost: linear, at worst times the longest token.
    bool make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;
    // The same, returning the number of ids; `ids` needs space for `length`.
    u32 match(const u8* piece, u32 length, u32 limit, u32* ids, u32* end) const;
    // The same for several pieces, each as a whole; a count is 0 if a character of the piece has no id. Interleaving the
    // walks gains nothing, as the trie is small enough to be cached. The gain is that cache lookups wait for memory
    // together, once the caches are large: a tenth in English, a seventh in code and in texts of fourteen languages. Before
    // that, it costs a tenth to a quarter (2026-11).
    bool make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const;

private:
    template <class Trie>
    u32 match(Trie trie, const u8* piece, u32 length, u32 limit, u32* ids, u32* end) const;

    LongestMatchView t_;
    bool has_all_bytes_ = false;
};

}  // namespace crayon
