// Byte-level BPE: a piece to the ids that merging gives, the same as applying the lowest-ranked merge, leftmost first,
// until none applies.
//
// - What a piece gave the last time is in a cache (short_piece_cache.h, long_piece_cache.h).
// - A piece that is a token as a whole is that token: one probe (piece_lookup.h).
// - Any other piece is merged: a few runs of bytes as runs (merge_runs.h), units by rank, bytes or characters
//   (merge_by_rank.h, characters.h), and what these do not take by backtracking (backtracking.h). All give the same.
//
// All tables lie in the cartridge and have passed the gate. Any thread may use one Bpe at once.
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "model/backtracking.h"
#include "model/bpe_pairs.h"
#include "model/characters.h"
#include "model/long_piece_cache.h"
#include "model/piece_lookup.h"
#include "model/short_piece_cache.h"

namespace crayon {

// The working memory of one thread: the caches, and what merging long pieces needs, which grows to the longest piece
// seen.
struct BpeScratch {
    ShortPieceCache short_pieces;
    LongPieceCache long_pieces;
    Characters characters;
    Buffer<u32> ascii_pairs;  // by two bytes of ASCII: what they merge to + 2, 1 for nothing, 0 if not known yet
    Buffer<u32> ids;          // of the piece merged last
    BacktrackingScratch backtracking;
};

class Bpe {
public:
    Bpe() = default;
    explicit Bpe(const BpeView& tables);

    // Bytes readable behind every piece.
    static constexpr size_t kPadding = PieceLookup::kPadding;
    static_assert(kPadding >= ShortPieceCache::kLongestPiece && kPadding >= LongPieceCache::kPadding);

    // The token with exactly these bytes, or kNone. length ≥ 1.
    u32 find(const u8* piece, u32 length) const { return lookup_.find(piece, length); }

    // Encodes pieces until `ids` is full: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]). If the ids of the
    // last one do not fit, none of them is written, and all are in scratch.ids. With kCountOnly nothing is written, and
    // `capacity` limits the number counted: at most the ids of one piece are counted beyond it. False: memory is short.
    struct Progress {
        u32 pieces;  // encoded
        u32 ids;     // written, or counted
        bool spilt;  // those of the last piece are in scratch.ids
    };
    template <bool kCountOnly>
    bool encode(const u8* text, u32 start, const u32* boundaries, u32 count, u32* ids, u32 capacity,
                BpeScratch& scratch, Progress* progress) const;

    // The ids of one piece that is no token, in scratch.ids; false if memory is short. Cost: linear in the piece.
    bool merge(const u8* piece, u32 length, BpeScratch& scratch) const;

private:
    struct Ids {
        const u32* ids;
        u32 count;  // 0: memory is short
    };
    static constexpr u32 kAhead = 24;  // pieces
    void look_ahead(const u8* text, u32 start, const u32* boundaries, u32 count, const BpeScratch& scratch) const;
    // What `encode` works on.
    struct Pieces {
        const u8* text;
        const u32* boundaries;
        u32 count;
        u32 ahead;   // those before it have been looked ahead to
        u32 single;  // the id of a piece that has one
        BpeScratch& scratch;
    };
    [[gnu::noinline]] Ids recall(Pieces& pieces, u32 index, u32 start) const;
    u32 merge_units(const u8* ascii, u32 count, BpeScratch& scratch) const;
    u32 merge_windows(const u8* ascii, u32 count, BpeScratch& scratch) const;
    void rank_units(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, u32* ranks) const;

    BpeView t_;
    PieceLookup lookup_;
    BpePairs pairs_;
    Backtracking backtracking_;
    u32 byte_ids_[256] = {};
};

}  // namespace crayon
