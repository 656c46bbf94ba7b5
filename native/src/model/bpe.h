// Byte-level BPE: a piece to the ids that merging gives, the same as applying the lowest-ranked merge, leftmost first,
// until none applies.
//
// - A piece that is a token as a whole is that token: one probe (piece_lookup.h).
// - A piece that had to be merged before is in a cache (piece_cache.h).
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
#include "model/piece_cache.h"
#include "model/piece_lookup.h"

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

    // Bytes readable behind every piece: a key of the long cache is read behind the shortest piece it is for.
    static constexpr size_t kPadding = sizeof(LongPieceCache::Key) - (ShortPieceCache::kLongestPiece + 1);
    static_assert(kPadding >= PieceLookup::kPadding && kPadding >= sizeof(ShortPieceCache::Key));

    // The token with exactly these bytes, or kNone. length ≥ 1.
    u32 find(const u8* piece, u32 length) const { return lookup_.find(piece, length); }

    // Encodes pieces until `ids` is nearly full: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]).
    // A piece that is no token stays when its ids might not fit, so `pieces` < count can only come with less than that
    // piece's length of room left; `merge` gives its ids then. With kCountOnly nothing is written, and `capacity` limits
    // the number counted: at most the ids of one piece are counted beyond it. False: memory is short.
    struct Progress {
        u32 pieces;  // encoded
        u32 ids;
    };
    template <bool kCountOnly>
    bool encode(const u8* text, u32 start, const u32* boundaries, u32 count, u32* ids, u32 capacity,
                BpeScratch& scratch, Progress* progress) const;

    // The ids of one piece that is no token, in scratch.ids; false if memory is short. Cost: linear in the piece.
    bool merge(const u8* piece, u32 length, BpeScratch& scratch) const;

private:
    template <class Cache>
    bool merge_cached(const u8* piece, u32 length, Cache& cache, BpeScratch& scratch, const u32** ids,
                      u32* count) const;
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
