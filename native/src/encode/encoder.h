// Encodes a text that arrives in windows. The ids are those of the whole text, wherever the windows were cut; text of
// any length passes through a buffer that holds a window and the piece that has not ended yet. One thread at a time.
//
//   feed ─▶ FedText: raw ─┬─▶ Normalizing: added tokens, normalizer, whitespace ─┬─▶ FedText: ready
//                         └────── where nothing is rewritten, the same ──────────┘         │
//   ids ◀─ PieceModel ◀─ Pieces: the pretokenizer ◀─ Segments: up to the next added token ◀┘
//    └─▶ IdOffsets: where each is in the raw text
//
// AddedPolicy says which added tokens there are. Positions of a text are those of the raw text. With a normalizer, and for
// some added tokens, not each end of a piece is a *safe split point*, from which on the text is encoded as in the whole
// text (parallel/chain.h).
#pragma once

#include "encode/id_offsets.h"
#include "encode/piece_model.h"
#include "encode/pieces.h"
#include "encode/segments.h"

namespace crayon {

class Encoder {
public:
    // INVALID_ARGUMENT for a tokenizer of DNA.
    static Status create(Tokenizer& tokenizer, Encoder** out);
    // For who keeps one in place: `start` comes before all else.
    explicit Encoder(Tokenizer& tokenizer);
    Status start();
    ~Encoder();
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    // Starts a new text; see AddedPolicy for the arguments and failures.
    Status begin(u32 special, const u32* allowed, u32 allowed_count);
    Status begin_masked(std::span<const u32> control, std::span<const u32> ranges);
    // Starts a new text under the same policy. It is a part of a longer text, from byte `origin` on; position() and the
    // positions of failures refer to the longer text.
    void restart(u64 origin) { restart(origin, true); }
    // The same from a safe split point of the longer text on, not from where a text may begin.
    void resume(u64 origin) { restart(origin, origin == 0); }
    // The text is written as its tokens have it, which for `pass` must be said before it is fed: else that is decided by how
    // it is read first (encode/marked_pieces.h).
    void write_as_tokens() { is_decided_ = true; }
    // How many texts have been started.
    u64 texts() const { return texts_; }
    // Reading stops after the first piece or added token that ends at `position` or after it, until that is moved; a
    // new text has none.
    void stop_reading_at(u64 position) { reading_end_ = position; }

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
    // The same with start and end of each id, or of its piece, two elements of `offsets` per id. All ids of a text are
    // read like this and in the same unit, or none: INVALID_ARGUMENT. TEXT_TOO_LONG if an offset needs more than 32
    // bits.
    Status read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read);
    // Counts them, until `limit` is reached or passed.
    Status count(u32 limit, Read* read);

    // Where the ids end that no further text can change. All of them have been read, unless the last read left `more`
    // or stopped. Where that is no safe split point, it is one before, and ids have been read beyond it: the
    // text after position() is encoded to these, and then to those that follow.
    u64 position() const { return normalizing_ ? normalizing_->position() : text_.position(text_.encoded()); }
    u64 ids_beyond_position() const { return normalizing_ ? normalizing_->ids_beyond_position() : 0; }
    // A lower bound of the tokens of the text after that.
    u32 pending_tokens() const {
        if (pieces_.are_raw()) return 0;  // of characters that its normalizer may take out
        const size_t longest = tokenizer_.longest_token();
        return static_cast<u32>((text_.ready() - text_.encoded() + longest - 1) / longest);
    }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    const AddedPolicy& policy() const { return policy_; }
    // Whether added tokens may include whitespace around them, or depend on the characters there, or text on whether it
    // follows one.
    bool looks_around() const { return policy_.strips() || policy_.finds_words() || tokenizer_.puts_space_first(); }
    // Bytes of memory for text that has not been encoded yet: twice the longest piece so far, or a few windows.
    size_t text_memory() const { return text_.capacity(); }
    // Pieces are remembered from one text to the next: in how many bytes at most, PieceScratch::kCacheBytes at first; and in
    // how many now. A limit that is lower than what is in use gives all of that back.
    void set_cache_limit(u64 bytes) {
        if (bytes != cache_limit_) model_.set_cache_limit(bytes);
        cache_limit_ = bytes;
    }
    u64 cache_limit() const { return cache_limit_; }
    size_t cache_bytes() const { return model_.cache_bytes(); }
    // Adds what has changed of it to what the tokenizer says of all threads.
    void publish_cache_bytes() {
        const size_t now = cache_bytes();
        if (now == published_) return;
        tokenizer_.count_cache_bytes(published_, now);
        published_ = now;
    }

    // For a caller that scans and encodes what it feeds itself (fit/text_tokens.h): `pass` in place of `read`. Offsets
    // count normalized bytes, from the origin of restart().
    struct Passed {
        u64 begin, end;                   // text between added tokens
        const layout::AddedToken* token;  // follows it, or nullptr
        bool closed;                      // the text between added tokens ends at `end`
        bool last;                        // so does the whole text
    };
    // Whether all text is passed as it is: without added tokens, or in another form.
    bool passes_all() const { return !policy_.finds_any() && !normalizing_; }
    // Passes the text up to the next added token, or all that is ready. SPECIAL_FORBIDDEN with the position.
    Status pass(Passed* passed);
    // The ready bytes from an offset on, and where they end; valid between feeding and the first `pass`.
    const u8* ready(u64 from) const { return text_.bytes() + (from - text_.origin()); }
    u64 ready_end() const { return text_.position(text_.ready()); }
    // The rewritten stretches of what has been fed last, and maybe some before; nullptr where nothing is rewritten.
    const Rewrites* rewrites() const { return normalizing_ ? &normalizing_->rewrites() : nullptr; }
    // Encodes pieces of any text, with the caches of this one.
    bool encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
        return model_.encode(pieces, ids, capacity, progress);
    }

private:
    static constexpr u64 kNowhere = ~u64{0};

    Status use_policy();
    void restart(u64 origin, bool opens_segment);
    // Once for each window, or segment: one copy of each is enough.
    [[gnu::noinline]] Status open_window();
    [[gnu::noinline]] Status close_window();
    [[gnu::noinline]] Status decide_spaces();
    Status make_ready();
    [[gnu::noinline]] Status next_segment(bool* found);
    void open_segment(size_t begin);
    u32 pieces_at_once() const;
    void settle(u32 ids);
    Status run(u32* ids, u32 capacity, Read* read);
    Status read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read);

    Tokenizer& tokenizer_;
    AddedPolicy policy_;
    u64 policy_version_ = 0;  // that is in use
    FedText text_;
    Normalizing* normalizing_ = nullptr;       // nullptr where text is encoded as it is
    Normalizing* kept_normalizing_ = nullptr;  // the same, if any text has needed it
    AddedSearch search_;                       // for added tokens, without it
    Segments segments_;
    Pieces pieces_;
    PieceModel model_;
    IdOffsets offsets_;
    bool is_decided_ = false;  // whether spaces are written as marks
    u64 cache_limit_ = PieceScratch::kCacheBytes;
    size_t published_ = 0;
    u64 texts_ = 0;
    u64 reading_end_ = kNowhere;
    u64 piece_begin_ = 0;  // of the last piece that has been read with the offsets of pieces
};

}  // namespace crayon
