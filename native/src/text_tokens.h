// The tokens of a text that is cut into parts (fit.h), kept from one part to the next: parts overlap, and what a part
// needed to be cut is what the next one begins with.
//
//   place ── tokens ──▶ ends_            the pieces before the last of pieces_ are final, and their tokens known; if
//   the └ piece ┴ piece ┴ … ┴ open piece ─▶  piece after them is long, so are tokens of its beginning
//
// It rests on two properties.
// - No pattern has a lookbehind: as soon as a scan of the part ends a piece where a known piece ends, all later ones are
//   the same (scan/scanner.h). So a part that begins inside of a piece is scanned only up to there; and at the end of a
//   part, only what was not final yet when the scan had seen no more than the part.
// - Adjacent tokens of a piece are the encoding of their bytes, as long as those are one piece. For BPE: a sequence of
//   tokens is an encoding if every adjacent pair is (model/backtracking.h). For longest match: at each of them it is
//   the longest token, and stays so if the text is cut at the end of a token. So a part of a long piece is not encoded
//   again. (A piece that may be a token as a whole is: that token need not be what its bytes merge to.)
//
// It knows parts of one text by where they are in memory, and another text by its bytes, so that no caller has to say
// which it is. A text is known up to the first added token. Whatever fails, memory included, leaves the tokens unknown.
#pragma once

#include "base/buffer.h"
#include "scan/scanner.h"

namespace crayon {

class Encoder;
class Tokenizer;

class TextTokens {
public:
    explicit TextTokens(Encoder& encoder);
    ~TextTokens();

    // The text from the beginning of the part on. `last`: it ends there; otherwise more of it follows.
    struct Text {
        const u8* bytes;
        u32 length;
        bool last;
    };
    enum Begin { kContinues, kUnknown, kApart };
    // A part begins. It continues what is known of the text, or that is forgotten. Not if the part has other pieces, as
    // far as they have been compared (kApart): what is known is kept for parts that begin where one of its pieces does.
    Begin begin(const Text& text);
    // Whether a known piece ends where the part begins. It must be the same text in memory.
    bool has_piece_at(const Text& text) const;
    // Makes at least `wanted` tokens known, or all if there are fewer. Cost: linear in the text that is read, which is
    // little more than the tokens need; less the more of it is known.
    bool know(u32 wanted);
    // Whether it failed because that depends on text that follows.
    bool needs_text() const { return needs_text_; }

    // Of the part and what follows it: the known tokens, and where each ends.
    u32 count() const { return static_cast<u32>(ends_.size()) - token_; }
    u32 end(u32 token) { return end_of(token_ + token) - place_; }

    // The tokens of the part, if it is encoded alone: so many of the text, then others, which end at `tail`.
    struct Alone {
        u32 kept;
        const u32* tail;
        u32 tail_count;
    };
    // Of a part that ends with a token of the text, other than the last ones that are known.
    bool count_alone(u32 end, Alone* alone);

    // Where the next part begins, from the beginning of this one: at one of two places.
    void expect(u32 next, u32 other);

    // Forgets the text.
    void restart();
    // The memory of the text may change: from now on it is known by its bytes alone. Frees memory, if it is much.
    void end_text();

private:
    struct Checkpoint {
        u32 seen, decided;  // with the text up to `seen`, the pieces up to `decided` are final, whatever follows
    };

    u32 place_of(const Text& text) const;
    bool is_text_at(u32 at, bool is_known, const Text& text) const;
    Begin rejoin(bool is_aligned);
    bool is_run_to_end();
    bool align(u32 stop);
    bool is_open_for(u32 wanted);
    bool extend(u32 wanted, u32 least);
    u32 next_stretch(u32 wanted, u32 least) const;
    void drop_front();
    bool scan_to(u32 size, bool last);
    bool encode_decided();
    bool encode_open(u32 wanted);
    bool encode_unscanned();
    bool encode_pieces(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ends);
    bool encode_to(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ids);
    int64_t to_ends(u32* values, size_t count, u32 least, u32 end) const;
    bool keep_ids(u32 from, u32 begin, u32 end);
    void locate(u32 from);
    u32 token_after(u32 place);
    u32 end_of(u32 index) {
        if (ids_begin_ <= index && index < ids_end_) locate(index);
        return ends_[index];
    }
    bool scan_alone(u32 begin, u32 end);
    u32 run_up_to(u32 piece, u32 end) const;
    u32 settled() const;
    bool has_pieces() const;
    u32 longest_token() const;
    const Tokenizer& tokenizer() const;

    Encoder& encoder_;
    Text source_ = {};

    Buffer<u8> text_;  // size_ bytes of a text, and kScanPadding more, which are zero if it ends there
    u32 size_ = 0;
    bool complete_ = false;  // it ends there
    bool blocked_ = false;   // an added token follows
    bool needs_text_ = false;
    bool is_here_ = false;  // the text has not changed in memory since the last part
    ScanState scan_;
    Buffer<u32> pieces_;  // ends
    Buffer<u32> ends_;    // of tokens; but of those from ids_begin_ to ids_end_ the ids: most ends are never asked for
    u32 ids_begin_ = 0, ids_end_ = 0, ids_place_ = 0;  // and where the last of them ends
    Buffer<Checkpoint> checkpoints_;

    u32 place_ = 0, token_ = 0, piece_ = 0;  // where the part begins, the first token and the first piece from there on
    u32 next_ = 0, other_ = 0;               // where the next one may begin
    // If the part began inside of a piece: its first pieces end here, as is known from the text up to there.
    u32 joined_ = 0, joined_seen_ = 0;
    bool is_inside_ = false;     // the part begins inside of the open piece
    u32 open_end_ = 0;           // the open piece is one up to here, if the text ends there
    u32 run_ = 0, run_begin_ = 0;  // if not 0, so is any part from there on: all is of these classes (class_run.h)
    u32 advance_ = 0;            // from the last part to this one
    u32 step_ = 0;               // of the scan
    u32 ahead_ = 0;              // so much is read at least: more, the more parts continued what was known
    u32 rate_ = 20;              // bytes of a token, of the last part, in sixteenths
    bool is_open_ = false;       // the last tokens that became known are those of an open piece
    u32 tried_ = 0;              // so much of the open piece did not have enough tokens

    Buffer<u32> scanned_, fresh_, tail_;
};

}  // namespace crayon
