// Whitespace at the beginning of a piece, for the models of which it has no ids.
#pragma once

#include "base/utf8.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// The length of the whitespace character at text[0, length), or 0. 8 bytes after it are readable.
inline u32 whitespace_at(const u8* text, u32 length) {
    if (*text == ' ' || (*text >= '\t' && *text <= '\r')) return 1;
    if (*text < 0xC2) return 0;
    const Character character = decode_character(text);
    return character.length <= length && unicode_16_0::class_of(character.code_point) >= unicode_16_0::kSpace ? character.length
                                                                                                              : 0;
}

// The length of the whitespace that text[0, length) begins with.
inline u32 leading_space(const u8* text, u32 length) {
    u32 at = 0;
    while (at < length) {
        const u32 character = whitespace_at(text + at, length - at);
        if (character == 0) break;
        at += character;
    }
    return at;
}

}  // namespace crayon
