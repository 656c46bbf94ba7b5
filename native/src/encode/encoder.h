// Encodes a text that arrives in windows, by the stages that native/README.md draws ("How a text is encoded"). The ids do not
// depend on where the windows are cut; a text of any length passes through a buffer of one window and the unfinished piece. One
// thread at a time. Positions refer to the raw text. With a normalizer, and for some added tokens, not every end of a piece is a
// *safe split point*: one from which the text is encoded as it is within the whole text (parallel/chain.h).
#pragma once

#include "encode/general_path.h"
#include "encode/id_offsets.h"
#include "encode/piece_model.h"
#include "encode/pieces.h"
#include "encode/segments.h"
#include "encode/word_numbers.h"

namespace crayon {

class Encoder {
public:
    // INVALID_ARGUMENT for a DNA tokenizer.
    static Status create(Tokenizer& tokenizer, Encoder** out);
    // For encoders constructed in place: call `start` before anything else.
    explicit Encoder(Tokenizer& tokenizer);
    Status start();
    ~Encoder();
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    // Starts a new text; see AddedPolicy for the arguments and failures.
    Status begin(u32 special, const u32* allowed, u32 allowed_count);
    Status begin_masked(std::span<const u32> control, std::span<const u32> ranges);
    // Starts a new text under the same policy, as the part of a longer text from byte `origin` on; position() and error
    // positions refer to the longer text.
    void restart(u64 origin) { restart(origin, true); }
    // The same, from a safe split point of the longer text rather than from where a text may begin.
    void resume(u64 origin) { restart(origin, origin == 0); }
    // Reading stops after the first piece or added token that ends at or after `position`, until a new position is set; a
    // new text has no stop.
    void stop_reading_at(u64 position) { reading_end_ = position; }

    // Appends a window. Read all available ids first, or the window adds to the pending text. No window may follow the
    // `last`. TEXT_TOO_LONG, OUT_OF_MEMORY: the text is lost; begin a new one.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const u16* units, size_t length, bool last);

    struct Read {
        u32 count;
        bool more;
    };
    // Writes the next ids, at most `capacity`; sets `more` if there are others, or a failure. UNKNOWN_CHARACTER,
    // SPECIAL_FORBIDDEN with the position, once all ids before it have been read.
    Status read(u32* ids, u32 capacity, Read* read);
    // The same, but unknown characters keep the reserved ids of the model, which encode their lengths.
    Status read_marked(u32* ids, u32 capacity, Read* read);
    // The same with the start and end of each id, or of its piece: two elements of `offsets` per id. All ids of a text must
    // be read this way and in the same unit, or none: INVALID_ARGUMENT. TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read);
    // Counts ids until `limit` is reached or passed.
    Status count(u32 limit, Read* read);

    // The end of the ids that no further text can change. All of them have been read, unless the last read set `more` or
    // stopped. If this is not a safe split point, the position is an earlier one, and ids_beyond_position() ids past it
    // have been read: the text after position() encodes to these ids, then to the ones that follow.
    u64 position() const { return normalizing_ ? normalizing_->position() : text_.position(text_.encoded()); }
    u64 ids_beyond_position() const {
        if (general_) return text_.encoded() == 0 ? general_->read() : 0;
        return normalizing_ ? normalizing_->ids_beyond_position() : 0;
    }
    // The bytes fed from position() on.
    u64 bytes_beyond_position() const {
        const u64 ready = text_.position(text_.ready());
        return (normalizing_ ? normalizing_->raw_position(ready) : ready) + text_.raw() - position();
    }
    // A lower bound of the number of tokens in the text after that.
    u32 pending_tokens() const {
        // The normalizer may remove characters; a pretokenizer drops some, and unknown ones are one token, however many they are.
        if (general_ || pieces_.are_raw() || tokenizer_.dropped().any() || tokenizer_.marks_unknown()) return 0;
        const size_t longest = tokenizer_.longest_token();
        return static_cast<u32>((text_.ready() - text_.encoded() + longest - 1) / longest);
    }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    const AddedPolicy& policy() const { return policy_; }
    // Whether added tokens may include surrounding whitespace or depend on the characters around them.
    bool looks_around() const { return general_ || policy_.strips(); }
    // Bytes of memory for text not yet encoded: twice the longest piece so far, or a few windows.
    size_t text_memory() const { return text_.capacity() + (general_ ? general_->memory() : 0); }
    // Pieces are remembered across texts. Sets the limit in bytes (PieceScratch::kCacheBytes at first); one below the current
    // size, cache_bytes(), frees all of it.
    void set_cache_limit(u64 bytes) {
        if (bytes != cache_limit_) model_.set_cache_limit(bytes);
        cache_limit_ = bytes;
    }
    u64 cache_limit() const { return cache_limit_; }
    // Whether many texts are encoded one after the other: short ones take less time then. Never changes a result.
    void expect_many_texts(bool many) { model_.expect_many_texts(many); }
    size_t cache_bytes() const { return model_.cache_bytes(); }
    // Adds the change in cache size to the tokenizer's total for all threads.
    void publish_cache_bytes() {
        const size_t now = cache_bytes();
        if (now == published_) return;
        tokenizer_.count_cache_bytes(published_, now);
        published_ = now;
    }

private:
    static constexpr u64 kNowhere = ~u64{0};

    Status use_policy();
    void restart(u64 origin, bool opens_segment);
    // Called once per window or segment, so one copy of each is enough.
    [[gnu::noinline]] Status open_window();
    [[gnu::noinline]] Status close_window();
    [[gnu::noinline]] Status decide_spaces();
    Status make_ready();
    [[gnu::noinline]] Status next_segment(bool* found);
    void open_segment(size_t begin);
    u32 pieces_at_once() const;
    void settle(u32 ids);
    template <bool kNumbered>
    Status run(u32* ids, u32 capacity, Read* read, u32* numbers = nullptr);
    Status encode_apart();
    Status read_general(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read);
    Status read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read);

    Tokenizer& tokenizer_;
    AddedPolicy policy_;
    GeneralPath* general_ = nullptr;  // instead of all that follows; nullptr on the fast path
    u64 policy_version_ = 0;          // the version in use
    FedText text_;
    Normalizing* normalizing_ = nullptr;       // nullptr where text is encoded as it is
    Normalizing* kept_normalizing_ = nullptr;  // the same, kept once a text has needed it
    AddedSearch search_;                       // for added tokens, when there is no normalizing
    Segments segments_;
    Pieces pieces_;
    PieceModel model_;
    IdOffsets offsets_;
    WordNumbers words_;
    bool is_decided_ = false;  // whether spaces are written as marks
    u64 cache_limit_ = PieceScratch::kCacheBytes;
    size_t published_ = 0;
    u64 texts_ = 0;
    u64 reading_end_ = kNowhere;
    u64 piece_begin_ = 0;  // of the last piece read with piece offsets
};

}  // namespace crayon
