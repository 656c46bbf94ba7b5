// Fitting a text into a number of tokens: how much of it, encoded alone, stays within a limit.
//
// A text cut off somewhere need not have the tokens it had as a beginning of the longer one: its last piece may be
// split in another way ("  x" is " ", " x"; alone, "  " is one piece). So a cut is chosen by the tokens of the whole
// text, and then the part is counted as it will be encoded, alone.
//
//   start ──── decided ──── seen ──── end      pieces up to `decided` are settled by the text up to `seen`, whatever
//                  └─ counted alone ─┘         follows; so they are those of any part that ends behind `seen`, and
//                                              only what is behind `decided` is counted again
//
// The text is read in windows that grow small where the limit comes near, so that the last such checkpoint lies close
// to the end of the part. Should the count be too high, the end moves back, token by token of the text, at first in
// small steps, then in ones that double: no text makes this quadratic. A piece that is much longer than the tokens
// still wanted is not read to its end; it is cut by the tokens of its beginning.
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
    // Keeps the encoder, whose policy it uses and whose text it replaces, and the text.
    Fit(Encoder& encoder, const Text& text) : encoder_(encoder), text_(text) {}

    struct Part {
        u32 end;            // `start`: not even one character fits
        u32 tokens;         // of the part; of the first character if that does not fit
        u32 overlap_begin;  // where its last `overlap` tokens begin, or the first character behind that
        bool more;          // the part depends on text that follows; nothing else is set
    };
    // The part that begins at `start`, a character's first byte. Fails as encoding does.
    Status cut(u32 start, u32 limit, u32 overlap, Part* part);

private:
    struct Checkpoint {
        u32 seen, decided;  // bytes of the text
        u32 tokens;         // of [start, decided)
    };

    Status encode(bool* over, bool* undecided);
    Status encode_window(u32 end, bool* over);
    Status encode_open_piece(bool* over);
    u32 next_window() const;
    Status read_ids(bool* more);
    u32 room_for(u32 tokens, u64 bytes) const;
    void restart_at_checkpoint();
    Status choose_end(u32* tokens);
    Status choose_character(u32 most, u32* tokens);
    Status count_alone(u32 end, u32* tokens);
    u32 length_of(u32 id) const { return encoder_.tokenizer().token_length(id); }
    // Where a token begins that ends at `end`.
    u32 begin_of(u32 id, u32 end) const { return end - std::min(length_of(id), end - start_); }
    u32 overlap_begin(u32 overlap) const;
    u32 character_end(u32 at) const;
    bool is_boundary(u32 at) const;

    Encoder& encoder_;
    const Text text_;
    u32 start_ = 0, limit_ = 0, end_ = 0;

    u32 seen_ = 0;                    // the encoder has been given the text up to here
    u32 tokens_ = 0;                  // read of it
    u32 spare_ = 0;                   // how many may be read beyond the limit
    Buffer<u32> ids_;                 // the tokens of the text
    Buffer<u32> tail_;                // those that the part has instead, alone, behind its checkpoint
    u32 kept_ = 0;                    // tokens before that
    u64 open_tried_ = 0;              // bytes of an open piece that were within the limit
    Buffer<Checkpoint> checkpoints_;  // ascending; the first is the start
};

}  // namespace crayon
