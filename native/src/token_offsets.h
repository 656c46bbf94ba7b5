// Where each token stands in its text: start and end, in bytes or in UTF-16 units.
//
// A pass of its own over ids that are already decided: their lengths in bytes add up to places in the text, whose
// characters are counted on the way. Every character is read once. A token that begins or ends inside a character gets
// the whole of it, so that a slice of a string never cuts one. Bytes that are not UTF-8 count as the units that
// TextDecoder makes of them (base/utf8.h).
#pragma once

#include "tokenizer.h"

namespace crayon {

class TokenOffsets {
public:
    // The next token begins a text.
    void restart() { *this = {}; }
    // `removed` bytes, none of them behind the last token located, are gone from the front of the text.
    void rebase(size_t removed) {
        end_ -= removed;
        character_end_ -= removed;
    }

    // Writes start and end of ids[i] to offsets[2i] and offsets[2i + 1]. The ids are the next ones of the text; the
    // character that the last of them ends in is whole, and 8 bytes behind text[0, size) are readable. One text, one
    // unit. Reads no further, whatever lengths a cartridge gives its tokens. `well_formed`: the text is known to be UTF-8.
    // TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status locate(const Tokenizer& tokenizer, const u8* text, size_t size, bool well_formed, u32 unit, const u32* ids,
                  u32 count, u32* offsets);

private:
    void locate_bytes(const Tokenizer& tokenizer, const u32* ids, u32 count, u32* offsets);
    bool locate_ascii(const Tokenizer& tokenizer, const u8* text, size_t size, const u32* ids, u32 count, u32* offsets);
    void locate_units(const Tokenizer& tokenizer, const u8* text, size_t size, const u32* ids, u32 count, u32* offsets);
    void locate_characters(const Tokenizer& tokenizer, const u8* text, size_t size, const u32* ids, u32 count, u32* offsets);

    size_t end_ = 0;            // of the last token, in the bytes at hand
    size_t character_end_ = 0;  // of the character it ends in; equal unless the token ends inside
    u64 before_ = 0;            // units before that character
    u64 behind_ = 0;            // units up to its end
};

}  // namespace crayon
