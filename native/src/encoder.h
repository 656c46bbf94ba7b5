// Encoding one text that arrives in windows: special-token split, pretokenizing, model. Text of any length passes
// through a buffer that holds a window and the piece that is still open.
//
//   feed ─▶ text_ ─▶ segments between added tokens ─▶ scan: boundaries_ ─▶ model: ids (overflow_ when they do not fit)
//
// The ids are those of the whole text, wherever the windows were cut. One thread at a time.
#pragma once

#include "scan/added_tokens.h"
#include "token_offsets.h"
#include "tokenizer.h"

namespace crayon {

class Encoder {
public:
    static Status create(Tokenizer& tokenizer, Encoder** out);
    ~Encoder();

    // Starts a new text. UNKNOWN_SPECIAL with the index in `allowed` of an id that no added token has.
    Status begin(u32 special, const u32* allowed, u32 allowed_count);
    // Starts a new text under the same policy. It is a part of another one, and begins at byte `origin` of that: places
    // in the other one are what position() and the positions of failures mean.
    void restart(u64 origin);

    // Appends a window; all ids that were due must have been read, or the window adds to what is pending. After `last`,
    // nothing more. TEXT_TOO_LONG, OUT_OF_MEMORY: the text is then lost, begin again.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const u16* units, size_t length, bool last);

    struct Read {
        u32 count;
        bool more;
    };
    // Writes the next ids, at most `capacity`; `more` if that ended it. UNKNOWN_CHARACTER, SPECIAL_FORBIDDEN with the
    // place.
    Status read(u32* ids, u32 capacity, Read* read);
    // The same, but unknown characters keep the ids that the model reserves, which say how long each is.
    Status read_marked(u32* ids, u32 capacity, Read* read);
    // The same with start and end of each, two places of `offsets` an id. All ids of a text are read like this and in
    // one unit, or none: INVALID_ARGUMENT. TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read);
    // Counts them, until `limit` is reached or passed.
    Status count(u32 limit, Read* read);

    // Where the ids end that the text so far decides. They have all been read, unless the last read left `more`.
    u64 position() const { return offset_ + consumed_; }
    // How many tokens, at least, the text behind that will be.
    u32 pending_tokens() const {
        const size_t longest = tokenizer_.longest_token();
        return static_cast<u32>((size_ - consumed_ + longest - 1) / longest);
    }
    const Tokenizer& tokenizer() const { return tokenizer_; }

private:
    explicit Encoder(Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    Status open_window(size_t more);
    void close_window(bool last);
    void drop_consumed();
    Status choose_added_tokens(u32 special, const u32* allowed, u32 allowed_count);
    Status next_segment(bool* found);
    void open_segment(size_t begin);
    void seal();
    void unseal();
    template <bool kCountOnly>
    bool encode_pieces(u32* ids, u32 capacity, PieceProgress* progress);
    void replace_unknown(u32* ids, u32 count) const;
    template <bool kCountOnly>
    Status run(u32* ids, u32 capacity, Read* read);

    static constexpr u32 kBoundaries = 1024;
    static constexpr size_t kMaxText = (size_t{1} << 31) - 1;
    static_assert(kScanPadding >= Bpe::kPadding && kScanPadding >= PieceEncoder<LongestMatch>::kPadding);
    static_assert(kLongestWhole == LongPieceCache::kLongestPiece);

    Tokenizer& tokenizer_;

    // The text from `offset_` on; kScanPadding more bytes are readable, zero while nothing lies behind the segment.
    Buffer<u8> text_;
    size_t size_ = 0;
    u64 offset_ = 0;
    size_t consumed_ = 0;  // text_[0, consumed_) is encoded
    bool last_ = false;
    bool well_formed_ = true;  // no bytes have come in that may not be UTF-8
    u16 high_surrogate_ = 0;  // the window before ended with it

    // The segment: text up to the next added token, or up to where one may begin.
    size_t segment_end_ = 0;
    bool segment_last_ = false;
    const layout::AddedToken* token_ = nullptr;  // ends the segment
    bool forbidden_ = false;                     // one that may not be there does
    u8 sealed_[kScanPadding] = {};  // what lies behind a segment that a token ends, zeroed while it is scanned
    bool is_sealed_ = false, reseal_ = false;

    ScanState scan_;
    u32 boundaries_[kBoundaries];
    u32 boundary_ = 0, boundary_count_ = 0;
    u32 overflow_at_ = 0;  // ids of a piece that did not fit: scratch_.ids from here
    bool overflowing_ = false;
    bool stuck_ = false;  // at `consumed_`: a character there has no id

    u32 special_ = CRAYON_SPECIAL_LISTED;  // the policy that split_ and wanted_ are for; a list is read each time
    bool split_ = false;                   // added tokens matter
    AddedTokens added_;
    Buffer<u8> wanted_;  // of the view's rows
    BpeScratch scratch_;

    enum class Reading : u8 { kNothing, kIds, kBytes, kUtf16 };
    Reading reading_ = Reading::kNothing;  // what has been read of this text
    TokenOffsets offsets_;
};

}  // namespace crayon
