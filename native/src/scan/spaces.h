// Runs of whitespace (White_Space) in UTF-8, forward and backward from a position.
#pragma once

#include "base/utf8.h"
#include "scan/unicode_16_0.h"

namespace crayon {

inline bool is_whitespace(const Character& character) {
    return character.code_point < unicode_16_0::kCodePointCount &&
           unicode_16_0::class_of(character.code_point) >= unicode_16_0::kSpace;
}

// The end of the whitespace at `at`. `open`: it may continue past `end`. At least 3 more bytes must be readable, and zero.
inline size_t pass_spaces(const u8* text, size_t at, size_t end, bool* open) {
    while (at < end) {
        const Character character = decode_character(text + at);
        if (!is_whitespace(character)) break;
        at += character.length;
    }
    // No whitespace character has more than three bytes.
    *open = at == end || (end - at < 3 && text[at] >= 0xC2);
    return at;
}

// The start of the whitespace in text[begin, at) that ends at `at`.
inline size_t pass_spaces_back(const u8* text, size_t begin, size_t at) {
    while (at > begin) {
        size_t first = at - 1;
        while (first > begin && at - first < 3 && is_continuation(text[first])) --first;
        u8 bytes[4] = {};
        for (size_t i = first; i < at; ++i) bytes[i - first] = text[i];
        const Character character = decode_character(bytes);
        if (character.length != at - first || !is_whitespace(character)) break;
        at = first;
    }
    return at;
}

}  // namespace crayon
