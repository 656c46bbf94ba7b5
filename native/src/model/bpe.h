// Byte-level BPE: a piece to the ids that merging gives, the same as applying the lowest-ranked merge, leftmost first,
// until none applies.
//
// - A piece that is a token as a whole is that token: one probe of a table keyed by the piece's bytes.
// - Any other piece is merged without merging. A sequence of tokens is the BPE encoding of its bytes if and only if
// each of
//   them is reachable and each adjacent pair is (van Antwerpen & Neubeck, "So many tokens, so little time", 2024; the
//   argument is in the README of github/rust-gems crates/bpe). So the encoding is found left to right: take the longest
//   token that may follow the one before, and go back when nothing may. A position that was given up is never tried
//   again, for the tokens before it are unique: linear in the piece, whatever it holds.
//
// All tables lie in the cartridge and have passed the gate. Any thread may use one Bpe at once.
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "model/piece_cache.h"

namespace crayon {

// The working memory of one thread: what merging long pieces needs, which grows to the longest piece seen, and the
// cache.
struct BpeScratch {
    PieceCache cache;
    Buffer<u16> prefixes;  // max_token_length + 1
    Buffer<u32> ids;
    Buffer<u32> lengths;
    Buffer<u64> dead;
};

class Bpe {
public:
    Bpe() = default;
    explicit Bpe(const BpeView& tables) : t_(tables) {}

    // Bytes readable behind every piece.
    static constexpr size_t kPadding = 32;

    // The token with exactly these bytes, or kNone. length ≥ 1.
    u32 find(const u8* piece, u32 length) const;

    // Encodes pieces until `ids` is nearly full: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]).
    // A piece that is no token goes to `merge` when its ids might not fit, so `used` < count can only come with less
    // than that piece's length of room left. Returns the number of ids. With kCountOnly nothing is written, and
    // `capacity` limits the number counted.
    struct Progress {
        u32 pieces;  // encoded
        u32 ids;
        bool out_of_memory;
    };
    template <bool kCountOnly>
    Progress encode(const u8* text, u32 start, const u32* boundaries, u32 count, u32* ids, u32 capacity,
                    BpeScratch& scratch) const;

    // The ids of one piece that is no token, in scratch.ids; false if memory is short. Cost: linear in the piece.
    bool merge(const u8* piece, u32 length, BpeScratch& scratch) const;

private:
    u32 find_inline(const u8* piece, u32 length) const;
    u32 find_longer(const u8* piece, u32 length) const;
    // The id that merging left and right gives, or kNone.
    u32 merged(u32 left, u32 right) const;
    // Whether the BPE encoding of left's and right's bytes is [left, right].
    bool adjacent(u32 left, u32 right) const;
    template <class Stack>
    bool backtrack(const u8* piece, u32 length, u64* dead, u16* prefixes, Stack& stack) const;
    template <class Stack>
    bool merge_runs(const u8* piece, u32 length, Stack& stack, bool* done) const;
    u32 merge_short(const u8* piece, u32 length, u32* ids, u16* prefixes) const;

    BpeView t_;
};

}  // namespace crayon
