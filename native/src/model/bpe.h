// Byte-level BPE: a piece to the ids that merging gives, the same as applying the lowest-ranked merge, leftmost first,
// until none applies.
//
// - A piece that is a token as a whole is that token: one probe (piece_lookup.h).
// - Any other piece is merged: a few runs of bytes as runs (merge_runs.h), units by rank, bytes or characters
//   (merge_by_rank.h, characters.h), and what these do not take by backtracking (backtracking.h). All give the same.
//
// A model of PieceEncoder (piece_encoder.h), which keeps what pieces gave. All tables lie in the cartridge and have
// passed the gate. Any thread may use one Bpe at once.
#pragma once

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "model/backtracking.h"
#include "model/bpe_pairs.h"
#include "model/characters.h"
#include "model/piece_encoder.h"
#include "model/piece_lookup.h"

namespace crayon {

// What merging pieces needs besides, which grows to the longest piece seen.
struct BpeScratch : PieceScratch {
    Characters characters;
    Buffer<u32> ascii_pairs;  // by two bytes of ASCII: what they merge to + 2, 1 for nothing, 0 if not known yet
    BacktrackingScratch backtracking;
};

class Bpe {
public:
    using Scratch = BpeScratch;

    Bpe() = default;
    explicit Bpe(const BpeView& tables);

    // Bytes readable behind every piece.
    static constexpr size_t kPadding = PieceLookup::kPadding;

    // The token with exactly these bytes, or kNone. length ≥ 1.
    static constexpr bool kFindsWhole = true;
    u32 find(const u8* piece, u32 length) const { return lookup_.find(piece, length); }

    void prefetch(const u8* piece, u32 length) const { lookup_.prefetch(piece, length); }

    // The ids of one piece that is no token, in scratch.ids; false if memory is short. Cost: linear in the piece.
    bool merge(const u8* piece, u32 length, BpeScratch& scratch) const;
    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        return merge(piece, length, scratch);
    }

private:
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
