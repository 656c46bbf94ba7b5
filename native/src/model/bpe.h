// Byte-level BPE: the ids of a piece, the same as applying the lowest-ranked merge, leftmost first, until none applies.
//
// - A piece that is a token as a whole is that token: one probe (piece_lookup.h).
// - Any other piece is merged: a few runs of equal bytes as runs (merge_runs.h), other pieces by rank, from bytes or
//   from characters (characters.h), one (merge_by_rank.h) or many at once (merge_lanes.h), long ones in windows
//   (merge_windows.h), and the rest by backtracking (backtracking.h). All have the same result. Where ranks are not the order of
//   merging, all are merged by priority (merge_by_priority.cpp).
//
// Merging works on ranks. If ids are not ranks, its result is converted to ids at the end; whole-token pieces and cached ones
// have ids throughout.
//
// A model for PieceEncoder (piece_encoder.h), which caches the ids of pieces. All tables are in the cartridge and have
// passed the validator. Several threads may use one Bpe at once.
#pragma once

#include "base/buffer.h"
#include "base/merge_by_heap.h"
#include "cartridge/cartridge.h"
#include "model/backtracking.h"
#include "model/bpe_pairs.h"
#include "model/characters.h"
#include "model/hidden_tokens.h"
#include "model/merge_lanes.h"
#include "model/merge_windows.h"
#include "model/piece_encoder.h"
#include "model/piece_lookup.h"

namespace crayon {

// The words of a piece: which of them each of its ids is of.
struct WordsApart {
    Buffer<u32> of_ids;
    u32 count = 0;
};

// Pairs whose order is not that of their ranks (layout::kPriorities), for HeapMerger: the rank of a pair is the token it becomes.
struct PriorityPairs {
    const BpePairs* pairs;
    const u32* priorities;

    bool rank(u32 left, u32 right, u32, u32* token) const {
        *token = pairs->merged(left, right);
        return true;
    }
    u32 merged(u32 token) const { return token; }
    u32 priority(u32 token) const { return priorities[token]; }
};

// The working memory of merging, which grows to the longest piece so far.
struct BpeScratch : PieceScratch {
    Characters characters;
    Buffer<u32> ascii_pairs;       // by two bytes of ASCII: the id they merge to + 2, 1 if none, 0 if not known yet
    Buffer<MergeLanes> lanes;      // one, if any
    Buffer<MergeWindows> windows;  // one, if any
    BacktrackingScratch backtracking;
    HeapMerger<PriorityPairs> by_heap;
    // Of encode/bpe_words.h: a piece that is split into words, a word with its end, and the ids of all words. Of
    // encode/marked_pieces.h: pieces with marks, and their ids.
    Buffer<u8> split_piece, word;
    Buffer<u32> word_ids;
    WordsApart apart;
    // Words of a batch, one after the other, and their ids.
    Buffer<u8> together;
    Buffer<u32> together_ids;
};

class Bpe {
public:
    using Scratch = BpeScratch;

    // A piece that is a token as a whole is that token, as in tiktoken; or only if merging makes it. Without a pretokenizer
    // it is the latter: where a text is cut is not for a token to depend on.
    enum class Whole { kAlways, kIfMerged };

    Bpe() = default;
    // `least`: of a kernel.
    Bpe(const BpeView& tables, LeastFunction least, Whole whole = Whole::kAlways);

    // Bytes that must be readable after every piece.
    static constexpr size_t kPadding = PieceLookup::kPadding;

    // The token with exactly these bytes, or kNone. length ≥ 1.
    u32 token_of(const u8* piece, u32 length) const { return lookup_.find(piece, length); }
    // The same if a piece of these bytes is that token.
    static constexpr bool kFindsWhole = true;
    u32 find(const u8* piece, u32 length) const {
        const u32 id = lookup_.find(piece, length);
        if (hidden_.any() && hidden_.is_hidden(id)) return layout::kNone;
        return whole_ == Whole::kIfMerged && id != layout::kNone && !t_.is_merged(id) ? layout::kNone : id;
    }
    // Whether ids may mark unknown characters (layout::kUnknownMark).
    bool marks_unknown() const { return hidden_.marks_unknown(); }
    const HiddenTokens& hidden() const { return hidden_; }

    void prefetch(const u8* piece, u32 length) const { lookup_.prefetch(piece, length); }

    // Puts the ids of a piece that is not a token into scratch.ids; false if memory is short. Cost: linear in the piece; with
    // priorities n log n.
    bool merge(const u8* piece, u32 length, BpeScratch& scratch) const;
    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        return merge(piece, length, scratch);
    }

    // The same for several pieces at once: faster, since they wait for memory together. The counts are 0 at first.
    bool make_all(UnmadePiece* pieces, u32 count, BpeScratch& scratch) const;

private:
    u32 to_ids(const u8* piece, u32 length, u32* ranks, u32 count, u32 capacity) const;
    void fill_lane(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, MergeLanes::Lane& lane) const;
    bool open_lane(const UnmadePiece& piece, BpeScratch& scratch, MergeLanes::Lane& lane) const;
    u32 ascii_pair(const u8* bytes, BpeScratch& scratch) const;
    u32 merge_units(const u8* ascii, u32 count, BpeScratch& scratch) const;
    // In merge_by_priority.cpp: the same as `merge`.
    bool merge_by_priority(const u8* piece, u32 length, BpeScratch& scratch) const;
    u32 merge_windows(const u8* ascii, u32 count, BpeScratch& scratch) const;
    void rank_units(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, u32* ranks) const;

    BpeView t_;
    PieceLookup lookup_;
    BpePairs pairs_;
    Backtracking backtracking_;
    HiddenTokens hidden_;
    LeastFunction least_ = nullptr;
    Whole whole_ = Whole::kAlways;
    u32 byte_ids_[256] = {};  // their ranks
};

}  // namespace crayon
