// Pieces to ids by the model of a tokenizer. Keeps the ids of a piece that did not fit, and the caches of pieces, which
// hold over all texts.
#pragma once

#include "tokenizer.h"

namespace crayon {

class PieceModel {
public:
    explicit PieceModel(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    // A text begins.
    void restart() { has_rest_ = is_stuck_ = false; }

    // Encodes pieces of any text; see PieceEncoder. Without `ids` these are only counted. False if memory is short.
    bool encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress);
    // The same for the text: remembers the ids that did not fit, and whether a character has no id.
    bool encode_next(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
        if (!encode(pieces, ids, capacity, progress)) return false;
        is_stuck_ = progress->stuck;
        has_rest_ = progress->overflowed;
        rest_at_ = 0;
        return true;
    }
    // Whether the last character up to which the text is encoded is followed by one without an id.
    bool is_stuck() const { return is_stuck_; }
    // Whether there are ids of the last piece that did not fit; takes up to `capacity` of them.
    bool has_rest() const { return has_rest_; }
    u32 take_rest(u32* ids, u32 capacity);

    // Of the caches of pieces: the most bytes, and those in use.
    void set_cache_limit(u64 bytes) { scratch_.set_cache_limit(bytes); }
    size_t cache_bytes() const { return scratch_.cache_bytes(); }

    // Replaces the reserved ids of unknown characters, which encode their lengths, by the vocabulary's unknown id.
    void replace_unknown(u32* ids, u32 count) const;

private:
    static_assert(kScanPadding >= Bpe::kPadding && kScanPadding >= PieceEncoder<LongestMatch>::kPadding);
    static_assert(kScanPadding >= KnownWords::kPadding);
    static_assert(kLongestWhole == LongPieceCache::kLongestPiece);

    template <class Model>
    bool encode_by(const Model& model, const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
        PieceEncoder<Model> encoder(model, pieces, scratch_);
        return ids ? encoder.template encode<false>(ids, capacity, progress)
                   : encoder.template encode<true>(ids, capacity, progress);
    }

    const Tokenizer& tokenizer_;
    BpeScratch scratch_;  // what longest match needs is a part of it
    u32 rest_at_ = 0;     // in scratch_.ids
    bool has_rest_ = false, is_stuck_ = false;
};

}  // namespace crayon
