// Pieces to ids by the model of a tokenizer. Keeps the ids of a piece that did not fit, and the caches of pieces, which
// hold over all texts.
#pragma once

#include "encode/raw_words.h"
#include "tokenizer.h"

namespace crayon {

class PieceModel {
public:
    explicit PieceModel(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    ~PieceModel() { RawWords::destroy_scratch(raw_); }
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;

    // A text begins, whose pieces are those of the tokenizer.
    void restart() { has_rest_ = is_stuck_ = is_raw_ = false; }
    // They are words of raw text. These have caches of their own, which share the limit with the others.
    // False if memory is short.
    bool use_raw();

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
    void set_cache_limit(u64 bytes) {
        limit_ = bytes;
        set_limits();
    }
    size_t cache_bytes() const { return scratch_.cache_bytes() + (raw_ ? raw_->cache_bytes() : 0); }

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

    // Where both kinds of caches are in use, each has half.
    void set_limits() {
        const u64 each = shares_ ? limit_ / 2 : limit_;
        scratch_.set_cache_limit(each);
        if (raw_) raw_->set_cache_limit(each);
    }
    void share_limit() {
        if (shares_ || limit_ == 0) return;
        shares_ = true;
        set_limits();
    }
    const Buffer<u32>& last_ids() const { return is_raw_ ? raw_->ids : scratch_.ids; }

    const Tokenizer& tokenizer_;
    BpeScratch scratch_;  // what longest match needs is a part of it
    RawWordsScratch* raw_ = nullptr;
    u64 limit_ = 0;    // 0: that of the scratch itself
    u32 rest_at_ = 0;  // in last_ids()
    bool has_rest_ = false, is_stuck_ = false, is_raw_ = false, shares_ = false;
};

}  // namespace crayon
