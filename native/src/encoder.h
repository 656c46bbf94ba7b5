// Encodes a text that arrives in windows: split at special tokens, pretokenizer, model. Text of any length passes
// through a buffer that holds a window and the piece that has not ended yet.
//
//   feed ─▶ text_ ─▶ segments between added tokens ─▶ scan: boundaries_ ─▶ model: ids (overflow if they do not fit)
//
// The ids are those of the whole text, wherever the windows were cut. One thread at a time.
//
// A tokenizer with a normalizer rewrites what is fed, in text_, which is cut at the added tokens of the raw text before.
// Places of the text are those of the raw text all the same (normalize/rewrites.h). What is fed may depend on text that
// follows, as long as a base can have more marks: it waits in text_, behind what is ready. Added tokens that include the
// whitespace around them are rewritten, too: as if it were not there; such whitespace waits until the text goes on. Where some are
// found only as whole words, the raw text is searched for added tokens first, too (scan/whole_words.h), and where some are
// searched for in what others leave.
#pragma once

#include "normalize/raw_offsets.h"
#include "scan/added_search.h"
#include "scan/whole_words.h"
#include "text_chains.h"
#include "token_offsets.h"
#include "tokenizer.h"
#include "utf16_windows.h"

namespace crayon {

class Encoder {
public:
    static Status create(Tokenizer& tokenizer, Encoder** out);
    ~Encoder();

    // Starts a new text. UNKNOWN_SPECIAL with the index in `allowed` of an id without an added token.
    Status begin(u32 special, const u32* allowed, u32 allowed_count);
    // Starts a new text in which special tokens, and the added tokens with the ids in `control`, are found only within ranges
    // of its bytes; other added tokens anywhere. `ranges`: begin and end of each. UNKNOWN_SPECIAL with the index in `control`,
    // INVALID_ARGUMENT with the index of a range that does not follow the one before.
    Status begin_masked(std::span<const u32> control, std::span<const u32> ranges);
    bool is_masked() const { return special_ == kMasked; }
    // Starts a new text under the same policy. It is a part of a longer text, from byte `origin` on; position() and the
    // positions of failures refer to the longer text.
    void restart(u64 origin);
    // The same from a stop of the longer text on (parallel/chain.h), not from where a text may begin.
    void resume(u64 origin);
    // Reading stops after the first piece or added token that ends at `position` or after it, until `position` is
    // moved. restart() undoes it.
    void stop_at(u64 position) { stop_ = position; }

    // Appends a window. Read all available ids first, or the window adds to the pending text. Nothing may follow
    // `last`. TEXT_TOO_LONG, OUT_OF_MEMORY: the text is then lost; begin a new one.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const u16* units, size_t length, bool last);

    struct Read {
        u32 count;
        bool more;
    };
    // Writes the next ids, at most `capacity`; `more` if there are others. UNKNOWN_CHARACTER, SPECIAL_FORBIDDEN with
    // the position.
    Status read(u32* ids, u32 capacity, Read* read);
    // The same, but unknown characters keep the reserved ids of the model, which encode their lengths.
    Status read_marked(u32* ids, u32 capacity, Read* read);
    // The same with start and end of each id, or of its piece, two elements of `offsets` per id. All ids of a text are read like this
    // and in the same unit, or none: INVALID_ARGUMENT. TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read);
    // Counts them, until `limit` is reached or passed.
    Status count(u32 limit, Read* read);

    // Where the ids end that no further text can change. All of them have been read, unless the last read left `more`
    // or stopped. With a normalizer, ids are read beyond that if they are of a piece that ends inside of a rewritten stretch:
    // the text after position() is encoded to these, and then to those that follow.
    u64 position() const { return rewrites() ? rewrites_.raw(settled_) : offset_ + consumed_; }
    u64 ids_beyond_position() const { return unsettled_; }
    // A lower bound of the tokens of the text after that.
    u32 pending_tokens() const {
        const size_t longest = tokenizer_.longest_token();
        return static_cast<u32>((size_ - consumed_ + longest - 1) / longest);
    }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    // Whether added tokens may include whitespace around them, or depend on the characters there, or text on whether it follows one.
    bool looks_around() const { return strips_ || words_ || tokenizer_.puts_space_first(); }
    // Bytes of memory for text that has not been encoded yet: twice the longest piece so far, or a few windows.
    size_t text_memory() const { return text_.capacity(); }
    // Encodes pieces, of any text, which must not be cut anywhere; see PieceEncoder. Without `ids` these are only counted.
    bool encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress);
    // Searches another text for added tokens that the policy finds; see AddedSearch. `is_new`: it is not that of the last call.
    AddedSearch::Found find_added(const u8* text, size_t from, size_t size, bool last, bool is_new);
    bool finds_added_tokens() const { return split_; }
    // Whether some of these are found only as whole words.
    bool finds_words() const { return words_; }
    // Whether some are searched for only in what others leave.
    bool has_stages() const { return has_stages_; }
    // What Fit keeps between two parts of a text.
    TextChains& text_chains() { return text_chains_; }

    // For a caller that scans and encodes what it feeds itself (text_tokens.h): `pass` in place of `read`. Offsets count
    // normalized bytes, from the origin of restart().
    struct Passed {
        u64 begin, end;                   // text between added tokens
        const layout::AddedToken* token;  // follows it, or nullptr
        bool closed;                      // the text between added tokens ends at `end`
        bool last;                        // so does the whole text
    };
    // Whether all text is passed as it is: without added tokens, or in another form.
    bool passes_all() const { return !split_ && !rewrites(); }
    // Passes the text up to the next added token, or all that is ready. SPECIAL_FORBIDDEN with the position.
    Status pass(Passed* passed);
    // The ready bytes from an offset on, and where they end; valid between feeding and the first `pass`.
    const u8* ready(u64 from) const { return text_.data() + (from - offset_); }
    u64 ready_end() const { return offset_ + size_; }
    // The rewritten stretches of what has been fed last, and maybe some before.
    const Rewrites& rewritten() const { return rewrites_; }
    // Who passes the text, until restart().
    const void* passer() const { return passer_; }
    void set_passer(const void* passer) { passer_ = passer; }
    // How many bytes of texts have been read, scanned or encoded to cut them into parts: tests count that, not time.
    u64& fit_work() { return fit_work_; }

private:
    explicit Encoder(Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    bool rewrites() const { return tokenizer_.nfc() || looks_around() || has_stages_; }
    static bool includes_spaces(const layout::AddedToken& token, u32 special);
    // A search for added tokens in unready text.
    struct Stage {
        AddedSearch search;
        WholeWords words;
        bool is_used = false;
        size_t searched = 0;       // without a token
        size_t spaces_before = 0;  // bytes of whitespace before what has not been searched, which may belong to a token
        size_t spaces_after = 0;   // and after a token that begins there

        void restart();
        // What follows is another text.
        void begin_text() { searched = spaces_before = spaces_after = 0; }
    };
    // Those up to locate_raw are in encoder_rewrites.cpp.
    Status normalize();
    Status divide(size_t* at, size_t end, bool last);
    Status normalize_to(size_t* at, size_t end, bool last);
    Status rewrite(size_t begin, size_t end);
    Status set_apart(size_t begin);
    // An added token at `position` of the unready text, which stands for [begin, end).
    struct Stripped {
        size_t begin, position, end;
        const layout::AddedToken* token;
    };
    Stripped strip(Stage& stage, const AddedSearch::Found& found, size_t at, size_t end, bool last);
    Status append_token(const Stripped& hit);
    Status put_space(size_t* at, size_t end, bool last, bool* waits);
    const u8* unready() const { return is_apart_ ? raw_.data() : text_.data(); }
    Status append(const u8* bytes, size_t length);
    void settle(u64 ids);
    Status locate_raw(u32 unit, const u32* ids, u32 count, u32* offsets);
    // Where reading stops, in what is encoded.
    u64 stop_place() const { return rewrites() && stop_ != kNowhere ? rewrites_.place_of(stop_) : stop_; }
    Status next_added(AddedSearch::Found* hit);
    // In encoder_words.cpp.
    Status set_stages(bool has_early, bool has_late);
    Status find_unready(Stage& stage, size_t at, size_t end, bool last, Stripped* hit);
    Status find_late(size_t end, bool last, AddedSearch::Found* hit);
    bool is_stop(u64 place) const;
    u32 up_to_stop(const u32* ends, u32 count) const;
    Status open_window(size_t more);
    [[gnu::noinline]] Status close_window(bool last);  // once for each window: one copy is enough
    void drop_consumed();
    Status choose_added_tokens(u32 special, std::span<const u32> listed);
    Status set_ranges(std::span<const u32> ranges);
    static bool allows_raw(const void* encoder, u64 begin, u64 end);
    static bool allows_late(const void* encoder, u64 begin, u64 end);
    void start_text();
    [[gnu::noinline]] Status next_segment(bool* found);  // rare: one copy is enough
    void open_segment(size_t begin);
    void seal();
    void unseal();
    void replace_unknown(u32* ids, u32 count) const;
    Status run(u32* ids, u32 capacity, Read* read);
    Status read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read);

    static constexpr u64 kNowhere = ~u64{0};
    static constexpr u64 kMaxOffset = 0xFFFFFFFF;
    static constexpr u32 kBoundaries = 1024;
    static constexpr size_t kMaxText = (size_t{1} << 31) - 1;
    static_assert(kScanPadding >= Bpe::kPadding && kScanPadding >= PieceEncoder<LongestMatch>::kPadding);
    static_assert(kLongestWhole == LongPieceCache::kLongestPiece);

    Tokenizer& tokenizer_;

    // The text from `offset_` on; kScanPadding more bytes are readable, and zero while the segment is the end of the
    // text.
    Buffer<u8> text_;
    size_t size_ = 0;
    u64 offset_ = 0;
    size_t consumed_ = 0;  // text_[0, consumed_) is encoded
    u64 stop_ = kNowhere;
    bool last_ = false;
    bool well_formed_ = true;  // no bytes have been fed that may not be UTF-8
    Utf16Windows utf16_;

    // With a normalizer: after text_[0, size_) there are unready_ bytes of raw text.
    size_t unready_ = 0;
    size_t raw_end_ = 0;   // while they are normalized: where they end
    u64 raw_begin_ = 0;    // and the place of unready()[0]
    size_t stretch_searched_ = 0;  // of these: in one stretch
    bool is_apart_ = false;  // while they are normalized: they are in raw_
    bool opens_segment_ = true;  // they begin a text, or follow an added token
    Buffer<u8> raw_;
    Nfc::Scratch rewritten_;
    Rewrites rewrites_;
    struct Mark {
        u64 place;
        const layout::AddedToken* token;
    };
    Buffer<Mark> marks_;  // added tokens of the raw text, in text_ from marks_[mark_] on
    size_t mark_ = 0;
    u64 settled_ = 0;     // the last place that has been encoded up to and is not inside of a stretch that was rewritten
    u64 unsettled_ = 0;   // ids since then
    RawOffsets raw_offsets_;

    // The segment: text up to the next added token, or up to where one may begin.
    size_t segment_end_ = 0;
    bool segment_last_ = false;
    const layout::AddedToken* token_ = nullptr;  // the token that ends the segment
    bool forbidden_ = false;                     // a forbidden token ends the segment
    u8 sealed_[kScanPadding] = {};  // the bytes after a segment that a token ends; they are zeroed while it is scanned
    bool is_sealed_ = false, reseal_ = false;

    ScanState scan_;
    u32 boundaries_[kBoundaries];
    u32 boundary_ = 0, boundary_count_ = 0;
    u32 overflow_at_ = 0;  // scratch_.ids from here are ids of a piece that did not fit
    bool overflowing_ = false;
    bool stuck_ = false;  // at `consumed_`: a character there has no id

    static constexpr u32 kMasked = CRAYON_SPECIAL_LISTED + 1;
    u32 special_ = CRAYON_SPECIAL_LISTED;  // the policy of split_ and uses_; a list is read each time
    bool split_ = false;                   // added tokens are searched for
    Buffer<AddedUse> uses_;                // of each added token of the view
    Buffer<AddedUse> early_uses_, late_uses_;  // of those that are searched for first, and of the others
    bool has_stages_ = false;                  // there are some of both
    Stage early_;  // of all tokens, unless text is rewritten
    Stage late_;   // in what the first ones leave: in raw text, or with a normalizer after it
    AddedSearch other_early_, other_late_;  // in other texts
    AddedSearch::Found other_found_ = {};   // by the first of these
    Buffer<u32> ranges_;  // where control tokens may be: begin and end of each range, ascending, apart
    bool strips_ = false;  // some of those that are searched for include whitespace around them
    bool words_ = false;   // some are found only as whole words, or in what others leave
    BpeScratch scratch_;

    enum class Reading : u8 { kNothing, kIds, kBytes, kUtf16, kPieces };
    Reading reading_ = Reading::kNothing;  // how this text has been read so far
    u64 piece_ = 0;  // where the last piece of kPieces begins
    TokenOffsets offsets_;
    TextChains text_chains_{*this};
    const void* passer_ = nullptr;
    u64 fit_work_ = 0;
};

}  // namespace crayon
