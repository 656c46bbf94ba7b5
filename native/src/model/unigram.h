// Unigram: of all sequences of tokens that a piece can be cut into, the one with the greatest sum of scores.
//
// The best sequence up to a position is the best one up to where its last token begins, and that token. So from each position on,
// the tokens that begin there are compared with what is known of where they end; a single character may be unknown where no
// token is that character. Scores are added as doubles from the beginning of the piece on, and what is met later is better only
// if its sum is greater: rounding and ties are part of the result. Unknown characters that follow each other become one id, or
// the ids of their bytes; so does a token that is the unknown one by its text, together with them.
//
// For models of SentencePiece (layout::kSumsFloats) sums are floats, as sentencepiece's optimized encoder has them, and one that
// is far from 0 is taken off all sums that are known; unknown characters are nothing else. So rounding depends on all text
// before. Such a piece, a segment, is cut into words (segment_words.h), of which most need not be searched again.
//
// A model for PieceEncoder; layout/unigram.h has its tables, which have passed the validator, and layout/marked_ids.h what
// becomes of an id whose text is not the token. Several threads may use one Unigram at once.
#pragma once

#include "cartridge/cartridge.h"
#include "crayon/layout/unigram.h"
#include "model/piece_encoder.h"
#include "scan/dropped_text.h"

namespace crayon {

class Unigram {
public:
    using Scratch = PieceScratch;

    Unigram() = default;
    // `words`: of these tables, with layout::kSumsFloats; stays.
    Unigram(const LongestMatchView& tables, const TrieRules& rules, const DroppedText& dropped, const SegmentWords* words)
        : t_(tables),
          scores_(rules.scores),
          byte_ids_(rules.byte_ids),
          unknown_score_(rules.unigram->unknown_score),
          words_(words),
          dropped_(dropped) {}

    static constexpr bool kFindsWhole = false;
    static constexpr bool kMakesTogether = kPrefetches;

    // As PieceEncoder has it. `end` is where a character is that may only be unknown, if there is no unknown id. Cost: the bytes,
    // at worst times the longest token.
    bool make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;
    bool make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const;

private:
    // The best sequence up to a position: its sum, its last token and where that begins.
    struct Best {
        double score;
        u32 id, begin;
    };

    // Ids that are written, and the unknown text after them.
    struct Written {
        u32* ids;
        u32 count, unknown_begin, unknown_end;
    };
    // Passes the tokens that begin at a character to `offer`(end, score, id), or what it is if it is unknown. False if it may
    // only be unknown, and there is no unknown id.
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
