// The start and end of each token in the raw text, if some ranges were rewritten: like TokenOffsets, but one character
// at a time; characters of a rewritten range know their origin.
#pragma once

#include <algorithm>

#include "normalize/rewrites.h"
#include "scan/dropped_text.h"

namespace crayon {

class RawOffsets {
public:
    void restart() { *this = {}; }
    bool has_begun() const { return has_begun_; }
    // The next token begins at `token`, in or after the character at `position`; nothing before that was rewritten.
    // `before`: units of the text before that character.
    void begin(u64 token, u64 position, u64 before) {
        *this = {};
        has_begun_ = true;
        token_ = token;
        end_ = position;
        from_ = to_ = after_ = before;
    }

    // bytes[0, size) is the encoder's input from `offset` on; bytes[0, encoded) is encoded; 3 more bytes must be readable.
    struct Text {
        const u8* bytes;
        size_t size, encoded;
        u64 offset;
        bool in_units;  // UTF-16 units instead of bytes
        const Rewrites* rewrites;
    };
    struct Span {
        u64 begin, end;
    };
    // The span of a token: the next `length` bytes, or fewer at the end of the encoded text. In units, it covers every
    // character that the token has a byte of; in bytes, every such character that was rewritten.
    Span next(const Text& text, u64 length);
    // The next token begins at `position`, or after dropped text in its way.
    void skip_to(u64 position) { token_ = std::max(token_, position); }
    // Skips dropped text.
    void skip(const DroppedText& dropped, const Text& text);

private:
    void advance(const Text& text);

    bool has_begun_ = false;
    u64 token_ = 0;            // the start of the next token
    u64 begin_ = 0, end_ = 0;  // the current character, in the encoder's input
    u64 from_ = 0, to_ = 0;    // and in the raw text
    Span last_ = {0, 0};       // no later token starts before it, even in a damaged cartridge
    bool is_exact_ = false;    // byte by byte
    u64 after_ = 0;            // up to the end of that character; inside a range, up to the start of the range
};

}  // namespace crayon
