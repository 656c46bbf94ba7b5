// Unigram: of all ways to cut a piece into tokens, the one with the greatest sum of scores.
//
// The best sequence up to a position is the best one up to the start of its last token, plus that token. So from each
// position, the tokens that begin there are compared with the best sequences known so far at their ends; a single character
// may be unknown if it is not a token. Scores are added as doubles from the beginning of the piece, and a later candidate
// wins only if its sum is greater: rounding and ties are part of the result. Adjacent unknown characters become one id, or
// the ids of their bytes; a token that is the unknown token by its text joins them.
//
// For SentencePiece models (layout::kSumsFloats) sums are floats, as in sentencepiece's optimized encoder, and a sum far
// from 0 is subtracted from all known sums; unknown text never becomes the unknown token by its bytes. So rounding depends
// on all preceding text. Such a piece, a segment, is cut into words (segment_words.h), most of which need no new search.
//
// A model for PieceEncoder; layout/unigram.h defines its tables, which have passed the validator, and layout/marked_ids.h
// defines ids whose text is not the token. Several threads may use one Unigram at once.
#pragma once

#include "cartridge/cartridge.h"
#include "crayon/layout/trie_models.h"
#include "model/piece_encoder.h"
#include "scan/dropped_text.h"

namespace crayon {

class Unigram {
public:
    using Scratch = PieceScratch;

    Unigram() = default;
    // `words`: for these tables, with layout::kSumsFloats; must outlive this.
    Unigram(const LongestMatchView& tables, const TrieRules& rules, const DroppedText& dropped, const SegmentWords* words)
        : t_(tables),
          scores_(rules.scores),
          byte_ids_(rules.byte_ids),
          unknown_score_(rules.unigram->unknown_score),
          words_(words),
          dropped_(dropped) {}

    static constexpr bool kFindsWhole = false;

    // As in PieceEncoder. `end` is the position of a character that can only be unknown, if there is no unknown id. Cost:
    // the bytes times the longest token at worst.
    bool make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;
    bool make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const;

private:
    // The best sequence up to a position: its sum, and its last token and that token's start.
    struct Best {
        double score;
        u32 id, begin;
    };

    // The ids written, and the unknown text after them.
    struct Written {
        u32* ids;
        u32 count, unknown_begin, unknown_end;
    };
    // Passes the tokens that begin at a character to `offer`(end, score, id), and the unknown character if allowed. False
    // if it can only be unknown, and there is no unknown id.
    template <class Offer>
    bool offer_tokens(const u8* piece, u32 at, u32 length, Offer offer) const;
    bool cut(const u8* piece, u32 length, PieceScratch& scratch, u32* ids, u32* count, u32* end) const;
    bool cut_words(const u8* piece, u32 length, PieceScratch& scratch, Written* written, u32* end) const;
    Best* space_for(u32 length, PieceScratch& scratch, Best* near) const;
    template <bool kFloats>
    u32 find_best(const u8* piece, u32 length, double sum, Best* best) const;
    const KnownWord& recall(const u8* word, u32 length, KnownWords& words) const;
    const KnownWord& recall(const u8* word, u32 length, const KnownWords::Key& key, KnownWords& words) const;
    void note(const u8* word, u32 length, KnownWord* known) const;
    void take_best(const u8* piece, u32 begin, u32 end, Best* best, Written* written) const;
    void put_unknown(const u8* piece, Written* written) const;

    LongestMatchView t_;
    const double* scores_ = nullptr;
    const u32* byte_ids_ = nullptr;
    double unknown_score_ = 0;
    const SegmentWords* words_ = nullptr;  // unless sums are doubles
    DroppedText dropped_;
};

}  // namespace crayon
