// Encodes pieces to ids with a tokenizer's model. Keeps the ids of a piece that did not fit, and the memory of pieces, which
// persists across texts.
#pragma once

#include "encode/raw_words.h"
#include "tokenizer.h"

namespace crayon {

// Of the pieces of a tokenizer that is otherwise made; nullptr if memory is short.
PieceSource* create_piece_source(const Tokenizer& tokenizer);

class PieceModel {
public:
    explicit PieceModel(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    ~PieceModel() { delete raw_; }
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;

    // A text begins; its pieces are the tokenizer's.
    void restart() { has_rest_ = is_stuck_ = is_raw_ = false; }
    // The pieces are words of raw text. These have a memory of their own, which shares the limit with the other. False if memory
    // is short.
    bool use_raw();

    // Encodes pieces of any text; see PieceEncoder. Without `ids`, only counts. False if memory is short, or as failure() says.
    bool encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress);
    // The same for the current text: remembers ids that did not fit, and whether a character has no id.
    bool encode_next(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
        if (!encode(pieces, ids, capacity, progress)) return false;
        is_stuck_ = progress->stuck;
        has_rest_ = progress->overflowed;
        rest_at_ = 0;
        return true;
    }
    Status failure() const;
    // The same for one piece of several words, all of whose ids are left over.
    bool encode_apart(const u8* piece, u32 length);
    const WordsApart& apart() const { return scratch_.apart; }
    // Whether the text encoded so far is followed by a character without an id.
    bool is_stuck() const { return is_stuck_; }
    // Whether ids of the last piece are left over; takes up to `capacity` of them.
    bool has_rest() const { return has_rest_; }
    u32 take_rest(u32* ids, u32 capacity);

    // The limit in bytes of what is remembered, and its current size.
    void set_cache_limit(u64 bytes) {
        limit_ = bytes;
        set_limits();
    }
    // Whether many texts are encoded one after the other.
    void expect_many_texts(bool many) { scratch_.many_texts = many; }
    size_t cache_bytes() const { return scratch_.cache_bytes() + (raw_ ? raw_->cache_bytes() : 0); }

    // Replaces the reserved ids of unknown characters, which encode their lengths, with the vocabulary's unknown id.
    void replace_unknown(u32* ids, u32 count) const;

private:
    static_assert(kScanPadding >= Bpe::kPadding && kScanPadding >= PieceEncoder<LongestMatch>::kPadding);
    static_assert(kScanPadding >= KnownWords::kPadding);
    static_assert(kLongestWhole == PieceMemory::kLongestPiece);

    // If both kinds of memory are in use, each gets half.
    void set_limits() {
        const u64 each = shares_ ? limit_ / 2 : limit_;
        scratch_.set_cache_limit(each);
        if (raw_) raw_->set_cache_limit(each);
    }
    void share_limit() {
        if (shares_) return;
        shares_ = true;
        set_limits();
    }
    const Buffer<u32>& last_ids() const { return is_raw_ ? raw_->ids : scratch_.ids; }

    const Tokenizer& tokenizer_;
    BpeScratch scratch_;  // longest match uses a part of it
    RawWordsScratch* raw_ = nullptr;
    u64 limit_ = PieceScratch::kCacheBytes;
    u32 rest_at_ = 0;  // in last_ids()
    bool has_rest_ = false, is_stuck_ = false, is_raw_ = false, shares_ = false;
};

}  // namespace crayon
