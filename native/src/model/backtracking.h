// BPE by backtracking instead of merging: linear in the piece for any input.
//
// A sequence of tokens is the BPE encoding of its bytes if and only if each of them is reachable and each adjacent pair is
// the encoding of its own bytes (van Antwerpen & Neubeck, "So many tokens, so little time", 2024; the argument is in the
// README of github/rust-gems crates/bpe). So the encoding is found left to right: take the longest token that may follow
// the previous one, and go back when there is none. A rejected position is never tried again, because the tokens before it
// are unique.
//
// Its cost grows with the number of tokens, while merging by rank grows with the number of units; but it reads more of the
// tables. It is used for pieces of long tokens, and where the cost of merging is unbounded (merge_by_rank.h).
#pragma once

#include "base/buffer.h"
#include "model/bpe_pairs.h"
#include "model/piece_lookup.h"

namespace crayon {

// The working memory: grows to the longest piece so far. One thread.
struct BacktrackingScratch {
    Buffer<u16> prefixes;  // max_token_length + 1
    Buffer<u32> lengths;   // of the tokens chosen so far
    Buffer<u64> dead;      // bit p: no valid sequence of tokens continues from p
    Adjacency adjacency;
};

class Backtracking {
public:
    Backtracking() = default;
    explicit Backtracking(const BpeView& tables) : t_(tables), lookup_(tables), pairs_(tables) {}

    // Writes the ranks of the tokens of a piece; `ids` needs space for `length`. False: memory is short.
    bool encode(const u8* piece, u32 length, BacktrackingScratch& scratch, u32* ids, u32* count) const;

private:
    BpeView t_;
    PieceLookup lookup_;
    BpePairs pairs_;
};

}  // namespace crayon
