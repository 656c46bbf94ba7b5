// The start and end of each token in its text, in bytes or in UTF-16 units.
//
// A separate pass over encoded ids: token lengths add up to positions in the text, whose characters are counted along the
// way. Every character is read once. A token that begins or ends inside a character is given the whole character, so that
// slicing a string never splits one. Bytes that are not UTF-8 count as the units TextDecoder turns them into (base/utf8.h).
#pragma once

#include <algorithm>

#include "tokenizer.h"

namespace crayon {

class TokenOffsets {
public:
    // Starts a new text.
    void restart() { *this = {}; }
    // `removed` bytes, whose ids have all been read, were dropped from the front of the text. The tokens located so far may
    // end before them: in a damaged cartridge, or because ids were read without offsets.
    void rebase(size_t removed) {
        if (removed > end_) before_ = after_;
        end_ -= std::min(end_, removed);
        character_end_ -= std::min(character_end_, removed);
    }

    // Partly encoded text.
    struct Text {
        const u8* bytes;
        size_t size;       // 8 more bytes are readable
        size_t encoded;    // the end of the last encoded piece
        bool well_formed;  // known to be UTF-8
    };
    // Writes the start and end of ids[i] to offsets[2i] and offsets[2i + 1]. The ids are the next ones of the text, which
    // must contain the whole character that the last id ends in. All calls for a text use the same unit.
    // Token lengths are not trusted to add up to the text: a token that would end past the encoded text ends there.
    // TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status locate(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets);

    // The next token begins after the dropped text here, which ends at text.encoded at the latest.
    void skip(const Tokenizer& tokenizer, const Text& text, u32 unit);

    // The start of the next token, the character it is in or after, and the units before that.
    struct Reached {
        size_t token, character;
        u64 before;
    };
    Reached reached(const u8* text) const;

private:
    void locate_words(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets);
    void locate_by(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets);
    void locate_bytes(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets);
    bool locate_ascii(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets);
    void locate_units(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets);
    void locate_characters(const Tokenizer& tokenizer, const Text& text, const u32* ids, u32 count, u32* offsets);

    size_t end_ = 0;            // end of the last token in the text; at most `encoded`
    size_t character_end_ = 0;  // end of the character that end_ is in; equal unless the token ends inside one
    u64 before_ = 0;            // units before that character
    u64 after_ = 0;             // units up to its end
};

}  // namespace crayon
