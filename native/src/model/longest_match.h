// Longest match: at each place of a text the longest token that begins there, and the next place is its end. Where none
// begins, the character is unknown.
//
// The place is the whole state. So a piece may be matched alone if no token can cross its borders, and a piece of which
// more than that is not known gives the tokens that begin in it, of which the last may end behind it.
//
// A model of PieceEncoder. The trie lies in the cartridge and has passed the gate. Any thread may use one LongestMatch
// at once.
#pragma once

#include "cartridge/cartridge.h"
#include "model/piece_encoder.h"
#include "trie/double_array.h"

namespace crayon {

class LongestMatch {
public:
    using Scratch = PieceScratch;

    LongestMatch() = default;
    explicit LongestMatch(const LongestMatchView& tables);

    // Whether a text can hold a character at which no token begins.
    bool has_unknown_characters() const { return !has_all_bytes_; }

    // The token with exactly these bytes, or kNone, by a walk.
    u32 token_of(const u8* bytes, u32 length) const;

    // Nothing is quicker than the walk.
    static constexpr bool kFindsWhole = false;

    // The tokens that begin in a piece, in scratch.ids; those of unknown characters are kFirstReservedId + their
    // length, or end it if there is no unknown id. The last may go on up to `limit`, at least `length`; `end` is where
    // it ends. False if memory is short. Cost: linear, times the longest token at worst.
    bool make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;

private:
    template <class Trie>
    bool match(const Trie& trie, const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;

    LongestMatchView t_;
    bool has_all_bytes_ = false;
};

}  // namespace crayon
