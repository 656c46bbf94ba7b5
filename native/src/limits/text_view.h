// A text as the rules for cutting it read it: UTF-8, ill-formed or not, of which nothing outside is looked at.
#pragma once

#include "base/utf8.h"

namespace crayon {

struct TextView {
    static constexpr u32 kNone = ~u32{0};

    const u8* bytes;
    size_t size;

    // The byte at a position, which is a character if it is below 128; kNone outside the text (also for 0 - 1).
    u32 unit(size_t at) const { return at < size ? bytes[at] : kNone; }
    // The characters beside a position; U+FFFD for ill-formed bytes, kNone outside the text.
    u32 after(size_t at) const { return unit(at) < 0x80 || at >= size ? unit(at) : decoded(at).code_point; }
    u32 before(size_t at) const {
        return at == 0 ? kNone : bytes[at - 1] < 0x80 ? bytes[at - 1] : decoded(boundary_up_to(at - 1)).code_point;
    }

    // The end of the character at `at`, or of the text.
    size_t character_end(size_t at) const { return at < size ? at + decoded(at).length : size; }
    // Whether no character has bytes on both sides: that depends on the last byte before that begins a character.
    bool is_boundary(size_t at) const {
        if (at == 0 || at >= size || !is_continuation(bytes[at])) return true;
        size_t begin = at - 1;
        while (begin > 0 && is_continuation(bytes[begin]) && at - begin < 3) --begin;
        return character_end(begin) <= at;
    }
    // Moves a position to the nearest boundary at or after it, or at or before it: at most three bytes.
    size_t boundary_from(size_t at) const {
        while (!is_boundary(at)) ++at;
        return at;
    }
    size_t boundary_up_to(size_t at) const {
        while (!is_boundary(at)) --at;
        return at;
    }

private:
    // Of the four bytes there, or what is left of the text.
    Character decoded(size_t at) const {
        u8 padded[4] = {};
        for (size_t i = 0; i < 4 && at + i < size; ++i) padded[i] = bytes[at + i];
        return decode_character(padded);
    }
};

}  // namespace crayon
