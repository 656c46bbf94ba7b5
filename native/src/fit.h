// Fits a text into a number of tokens: finds how much of it, encoded alone, stays within a limit.
//
// Where a text is cut off, its tokens may change: the last piece may be split in another way ("  x" is " ", " x";
// alone, "  " is one piece). So a cut is chosen by the tokens of the whole text, and then the part is counted as it
// will be encoded, alone.
//
//   start ──── decided ──── seen ──── end      with the text up to `seen`, pieces up to `decided` are final, whatever
//                  └─ counted alone ─┘         follows; so every part that ends after `seen` has them too, and only
//                                              the text after `decided` is counted again
//
// The text is read in windows that become small near the limit, so that the last such checkpoint is close to the end of
// the part. If the count is too high, the end moves back by tokens of the text, first one by one, then in steps that
// double: no text makes this quadratic. A piece that is much longer than the remaining tokens is not read to its end;
// it is cut by the tokens of its beginning.
//
// That is how a part is cut whose tokens are not known. A part that continues another one has most of them from there,
// as has the text of a first part for the next: the tokens are kept (text_chains.h), and the part is cut by them, in
// the same way, unless it contains an added token, or may depend on text that follows.
#pragma once

#include <algorithm>

#include "encoder.h"

namespace crayon {

class Fit {
public:
    // `last`: the text ends there; otherwise more of it follows.
    struct Text {
        const u8* bytes;
        u32 length;
        bool last;
    };
    // Keeps references to the encoder, whose policy it uses and whose text it replaces, and to the text.
    Fit(Encoder& encoder, const Text& text) : encoder_(encoder), text_(text) {}

    struct Part {
        u32 end;            // `start` if not even one character fits
        u32 tokens;         // of the part; of the first character if that does not fit
        u32 overlap_begin;  // where its last `overlap` tokens begin, or the first character after that
        bool more;          // the part depends on text that follows; nothing else is set
    };
    // Finds the part that begins at `start`, the first byte of a character. Fails as encoding does.
    Status cut(u32 start, u32 limit, u32 overlap, Part* part);

private:
    struct Checkpoint {
        u32 seen, decided;  // bytes of the text
        u32 tokens;         // of [start, decided)
    };

    Status encode(bool* over, bool* undecided);
    Status encode_window(u32 end, bool* over);
    Status encode_open_piece(bool* over);
    bool is_sure() const;
    u32 next_window() const;
    Status read_ids(bool* more);
    u32 room_for(u32 tokens, u64 bytes) const;
    void restart_at_checkpoint();
    Status choose_end(u32* tokens);
    Status choose_character(u32 most, u32* tokens);
    Status count_alone(u32 end, u32* tokens);
    bool cut_known(u32 start, u32 limit, u32 overlap, Part* part);
    bool choose_known_end(u32 limit, Part* part, TextTokens::Alone* alone);
    u32 length_of(u32 id) const { return encoder_.tokenizer().token_length(id); }
    // The begin of a token that ends at `end`.
    u32 begin_of(u32 id, u32 end) const { return end - std::min(length_of(id), end - start_); }
    u32 overlap_begin(u32 overlap) const;
    u32 character_end(u32 at) const;
    bool is_boundary(u32 at) const;

    Encoder& encoder_;
    const Text text_;
    u32 start_ = 0, limit_ = 0, end_ = 0;

    u32 seen_ = 0;                    // the encoder has been given the text up to here
    u32 tokens_ = 0;                  // read so far
    u32 spare_ = 0;                   // so many may be read beyond the limit
    Buffer<u32> ids_;                 // the tokens of the text
    Buffer<u32> tail_;                // the tokens of the part alone, after its checkpoint
    u32 kept_ = 0;                    // number of tokens before the checkpoint
    u64 open_tried_ = 0;              // so many bytes of the open piece were within the limit
    Buffer<Checkpoint> checkpoints_;  // ascending; the first is the start
    TextTokens* known_ = nullptr;     // of the text from the part on, if they are kept
};

}  // namespace crayon
