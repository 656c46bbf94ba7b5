// The start and end of each token in the raw text, if that has stretches that were rewritten: what TokenOffsets does, one
// character after the other, of which those of such a stretch know where they come from.
#pragma once

#include <algorithm>

#include "normalize/rewrites.h"
#include "scan/dropped_text.h"

namespace crayon {

class RawOffsets {
public:
    void restart() { *this = {}; }
    bool has_begun() const { return has_begun_; }
    // The next token begins at `token`, in or after the character at `position`, up to which nothing has been rewritten.
    // `before`: units of the text before that character.
    void begin(u64 token, u64 position, u64 before) {
        *this = {};
        has_begun_ = true;
        token_ = token;
        end_ = position;
        from_ = to_ = after_ = before;
    }

    // bytes[0, size) is what is encoded from `offset` on, of which bytes[0, encoded) has been; 3 more bytes are readable.
    struct Text {
        const u8* bytes;
        size_t size, encoded;
        u64 offset;
        bool in_units;  // UTF-16 units; else bytes
        const Rewrites* rewrites;
    };
    struct Span {
        u64 begin, end;
    };
    // Of a token, the next `length` bytes, or fewer: it ends at the end of what has been encoded. In units it gets all of the
    // characters that it has a byte of; in bytes, of those that have been rewritten.
    Span next(const Text& text, u64 length);
    // The next token begins there, or after the dropped text where it would.
    void skip_to(u64 position) { token_ = std::max(token_, position); }
    // Returns what a token of `length` bytes is in.
    u64 skip(const DroppedText& dropped, const Text& text, u32 length);

private:
    void advance(const Text& text);

    bool has_begun_ = false;
    u64 token_ = 0;            // where the next token begins
    u64 begin_ = 0, end_ = 0;  // the character that has been reached, in the text that is encoded
    u64 from_ = 0, to_ = 0;    // and in the raw text
    Span last_ = {0, 0};       // no later one is before it, not in a damaged cartridge either
    bool is_exact_ = false;    // byte by byte
    u64 after_ = 0;            // up to the end of that character; inside of a stretch, up to where it begins
};

}  // namespace crayon
