// The tokens of a text that is cut into parts (fit.h), kept from one part to the next: parts overlap, and the text read to
// cut one part is the beginning of the next.
//
//   source ──▶ encoder: normalizes, finds added tokens ──▶ text_ ── scan ──▶ pieces_ ── model ──▶ ends_ of tokens
//
// Offsets here count the bytes of text_, which is normalized; the caller's offsets count the bytes of the raw text
// (normalize/rewrites.h converts them). Pieces before the last one of pieces_ are final, and their tokens are known; so are
// the tokens of the beginning of a long piece that is still open.
//
// It relies on four properties.
// - No pattern has a lookbehind: as soon as a scan of a part ends a piece where a known piece ends, all later pieces are
//   the same (scan/scanner.h). So a part that begins inside a piece is scanned only up to there; and at the end of a part,
//   only the text that was not final when the scan had seen no more than the part is scanned.
// - Adjacent tokens of a piece are the encoding of their bytes, as long as those bytes are one piece. For BPE, a sequence
//   of tokens is an encoding if every adjacent pair is (model/backtracking.h). For longest match, each token is the longest
//   at its position, and stays so if the text is cut at the end of a token. So a part of a long piece is not encoded again.
//   (Except a piece that may be a token as a whole: that token may differ from the merge of its bytes.)
// - Between two offsets outside rewritten stretches, a part is normalized like the whole text. If it begins inside a
//   rewritten stretch, this holds from the end of the stretch on: the part's share of the stretch is normalized by itself
//   and replaces it.
// - An added token stays one if the text is cut at its end, and separates the text before it from the text after it. A cut
//   does not create an added token either, unless it matches only as a whole word: such cuts are left to the encoder.
//
// A part that begins where none of this applies starts anew. Cost: linear in the text and the parts, with or without
// overlaps: text that is read again is at most as long as the text read for the first time, or as the part.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "normalize/rewrites.h"
#include "scan/added_search.h"
#include "scan/scanner.h"

namespace crayon {

class Encoder;
class FitCache;
class Tokenizer;

class TextTokens {
public:
    explicit TextTokens(FitCache& cache);
    ~TextTokens();

    // `last`: the text ends there; otherwise more follows.
    struct Text {
        const u8* bytes;
        u32 length;
        bool last;
    };
    // A part of the text begins at byte `start`, and `wanted` of its tokens matter. It continues the known tokens of the
    // text, or starts anew. False if its pieces differ from the known ones, as far as they were compared: the known ones
    // are kept for parts that begin at one of their boundaries.
    bool begin(const Text& text, u32 start, u32 wanted);
    // Whether a known piece ends where the part begins.
    bool has_piece_at(const Text& text, u32 start) const;

    // Makes at least `wanted` tokens of the part and the text after it known, or all if there are fewer. Fails with
    // encoding errors at one of these tokens. Cost: linear in the text read, which is little more than the tokens need, and
    // less if some of it is known. `waits`: also stops where text decides nothing for very long.
    Status know(u32 wanted, bool waits);
    // Why fewer are known: the text so far ends without being complete, or it has stopped waiting.
    bool needs_text() const { return needs_text_; }
    bool is_waiting() const { return is_waiting_; }
    // The raw text has been read up to here.
    u32 read_up_to() const { return fed_; }

    // The known tokens of the part and the text after it, and the end of each in the raw text. The end of a token inside a
    // rewritten stretch is the start of the character that it ends in.
    u32 count() const { return static_cast<u32>(ends_.size()) - token_; }
    u32 end(u32 token) { return raw(end_of(token_ + token)); }

    // The tokens of the part when encoded alone: the first `kept` are the text's tokens; tail_end() locates the others.
    struct Alone {
        u32 kept;
        u32 tail_count;
        u32 begin;  // if that needs an encoder: the position after the kept tokens, relative to the part
    };
    // For a part that ends at a token end of the text, except the last ones known. `found`: false if that needs an encoder.
    // OUT_OF_MEMORY.
    Status count_alone(u32 token, Alone* alone, bool* found);
    // The end of each of the others in the raw text, until the next count.
    u32 tail_end(u32 index) const { return raw(tail_[index]); }

    // Forgets the text.
    void restart();
    // The text's memory may change: forgets the text, along with everything learned from it. Frees large buffers.
    void end_text();

private:
    struct Checkpoint {
        u32 seen, decided;  // given the text up to `seen`, the pieces up to `decided` are final
    };
    struct Span {
        u32 begin, end;
    };
    // Whether text cut off at an offset, or starting there, has the same added tokens as within the whole text.
    struct WordsAt {
        u64 offset = ~u64{0};
        u32 length = 0;  // the text's length when this was determined
        bool ends_alike = true, begins_alike = true;
    };
    enum Join { kJoined, kApart, kUnknown };

    void restart_at(u32 start);
    bool is_of(const Text& text) const;
    bool continues(u32 start, u32* at) const;
    Join join(u32 wanted, bool is_aligned, bool is_stop);
    Join rejoin(bool is_aligned);
    bool is_run_to_end();
    bool keeps_tokens(u32 begin, u32 end) const;
    void prefetch_whole(u32 begin) const;
    bool align(u32 stop);
    bool align_longest(u32 wanted);
    bool is_one_piece_for(u32 wanted);

    // Reads on. False: it failed (status_), or the known tokens cannot be continued.
    bool extend(u32 wanted, u32 least);
    bool open_source();
    bool take_ready();
    bool append(const u8* bytes, u32 length);
    bool take_added(u32 end);
    bool take_text(u32 end, bool closed);
    u32 next_stretch(u32 wanted, u32 least) const;
    void drop_front();
    bool scan_to(u32 size, bool closed);
    bool encode_decided();
    bool encode_open(u32 wanted);
    bool match_on(u32 wanted);
    bool encode_pieces(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ends);
    bool encode_to(u32 begin, const u32* boundaries, u32 count, Buffer<u32>* ids);
    bool fail(const Status& status);
    bool no_memory() { return fail(Status::out_of_memory()); }

    int64_t to_ends(u32* values, size_t count, u32 least, u32 end) const;
    void keep_ids(u32 from, u32 begin, u32 end);
    void locate(u32 from);
    u32 token_after(u32 offset);
    u32 end_of(u32 index) {
        if (ids_begin_ <= index && index < ids_end_) locate(index);
        return ends_[index];
    }
    bool scan_alone(u32 begin, u32 end);
    u32 run_up_to(u32 piece, u32 end) const;
    u32 settled() const;
    bool is_over() const;
    u32 margin() const;
    u32 closed_up_to(u32 offset) const;
    u32 open_up_to(u32 offset) const;
    u32 decided_by(u32 end);
    u32 added_after(u32 offset) const;
    bool is_in_added(u32 offset) const;
    bool has_pieces() const { return has_pieces_; }
    // Whether the start or end of a text changes it in a way that only an encoder knows.
    bool depends_on_edges() const;
    u32 longest_token() const;
    const Tokenizer& tokenizer() const;

    // In text_rewrites.cpp.
    u32 raw(u32 offset) const { return rewrites_.any() ? rewritten_raw(offset) : static_cast<u32>(origin_ + offset); }
    u32 rewritten_raw(u32 offset) const;
    u32 source_offset(u32 offset) const;
    bool find_raw(u32 start, u64* offset) const;
    bool take_rewrites(u64 from);
    bool splice(u32 start);
    bool normalizes_alone() const;
    bool is_in_word(u32 offset, bool at_end);
    void compare_words(u32 offset, u32 from, WordsAt* words) const;
    AddedSearch::Found find_added(u32 from, u32 end) const;
    bool begins_added(u32 from, u32 to) const;
    bool opens_alike(u32 offset) const;
    bool takes_encoder(u32 end, Alone* alone);

    FitCache& cache_;
    Encoder& encoder_;
    const bool has_pieces_;  // false for longest match without a pretokenizer
    Text source_ = {};
    Status status_;
    bool is_here_ = false;  // the text has not moved in memory since the last part
    u32 fed_ = 0;           // the encoder has been fed the text up to here
    u64 origin_ = 0;        // offset of text_[0] in the normalized text, which begins where reading did
    u64 shift_ = 0;         // added to the encoder's offsets to get these; wraps
    Rewrites rewrites_;
    Buffer<Rewritten> characters_;
    WordsAt words_at_;
    Span no_words_[2] = {};  // no added token begins in these spans of the raw text, not even a candidate that is part of a
                             // word: around the beginnings of parts, and around their ends

    Buffer<u8> text_;  // ready_ bytes, and kScanPadding zeros
    u32 ready_ = 0;
    u32 size_ = 0;           // no added token begins before this
    bool complete_ = false;  // the text ends there
    bool failed_ = false;    // or cannot be encoded from there on: see status_
    bool is_stuck_ = false;  // the character at the end of the known tokens has no id
    u32 stuck_at_ = 0;
    bool needs_text_ = false, is_waiting_ = false;
    ScanState scan_;
    Buffer<u32> pieces_;  // ends, including added tokens
    Buffer<Span> added_;  // added tokens
    Buffer<u32> ends_;    // token ends, except ids from ids_begin_ to ids_end_: most ends are never asked for
    u32 ids_begin_ = 0, ids_end_ = 0, ids_offset_ = 0;  // and the end of the last of them
    Buffer<Checkpoint> checkpoints_;
    // The last indices found, where the next search starts: in added_, in checkpoints_.
    mutable u32 added_before_ = 0;
    u32 checkpoint_ = 0;

    u32 part_begin_ = 0, token_ = 0, piece_ = 0;  // the part's beginning, and its first token and piece
    // If the part began inside a piece: its first pieces end here, given the text up to joined_seen_.
    u32 joined_ = 0, joined_seen_ = 0;
    bool is_inside_ = false;  // the part begins inside a long piece
    u32 inside_end_ = 0;      // which is known to extend to here
    // Whether the last known tokens belong to an open piece; it begins here, and is one piece up to there if the text ends
    // there.
    bool is_open_ = false;
    u32 open_begin_ = 0, open_end_ = 0;
    u32 run_ = 0, run_begin_ = 0;  // if nonzero, so is any part of it from there on: all characters are in these classes
                                   // (class_run.h)
    u32 advance_ = 0;              // from the last part's beginning to this one
    u32 step_ = 0;                 // of the scan
    u32 ahead_ = 0;                // the least to read: grows as parts continue known tokens
    // Bytes per token in the last part, in sixteenths. Depends on this text alone: how far a long piece is read decides the
    // tokens it is cut by, which must not depend on earlier texts.
    static constexpr u32 kFirstRate = 20;
    u32 rate_ = kFirstRate;
    u32 tried_ = 0;  // this much of the open piece did not have enough tokens

    // Short texts that are one piece: their bytes, with their lengths in the top byte.
    static constexpr u32 kShort = 7, kShortSlots = 256;
    u64 short_pieces_[kShortSlots] = {};

    Buffer<u32> scanned_, fresh_, tail_;
    Normalizer::Scratch scratch_;
};

}  // namespace crayon
