// Whitespace at both ends of a text, Unicode White_Space (unchanged since version 6.3), and the mark of spaces.
#pragma once

#include <cstring>

#include "base/integers.h"
#include "base/utf8.h"

namespace crayon {

inline bool is_whitespace(u32 c) {
    if (c < 0x2000) return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || c == 0x1680;
    return c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// The length of the whitespace character at the start of text[0, length), or 0. 3 more bytes must be readable.
inline u32 whitespace_at(const u8* text, u32 length) {
    if (*text < 0x80) return is_whitespace(*text) ? 1 : 0;
    if (*text != 0xC2 && (*text < 0xE1 || *text > 0xE3)) return 0;
    const Character character = decode_character(text);
    return character.length <= length && is_whitespace(character.code_point) ? character.length : 0;
}

// The length of the whitespace at the start of text[0, length).
inline u32 leading_space(const u8* text, u32 length) {
    u32 at = 0;
    while (at < length) {
        const u32 character = whitespace_at(text + at, length - at);
        if (character == 0) break;
        at += character;
    }
    return at;
}

// The end of the whitespace at `at`. `open`: it may continue past `end`. At least 3 more bytes must be readable, and zero.
inline size_t pass_spaces(const u8* text, size_t at, size_t end, bool* open) {
    while (at < end) {
        const Character character = decode_character(text + at);
        if (!is_whitespace(character.code_point)) break;
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
        if (character.length != at - first || !is_whitespace(character.code_point)) break;
        at = first;
    }
    return at;
}

// U+2581, which SentencePiece vocabularies use for a space.
inline constexpr u32 kSpaceMarkLength = 3;
inline constexpr u8 kSpaceMark[kSpaceMarkLength] = {0xE2, 0x96, 0x81};

// Whether text[0, length) contains a space.
inline bool has_space(const u8* text, u32 length) { return std::memchr(text, ' ', length) != nullptr; }

// Writes text[0, length) with a mark in place of each space, at most kSpaceMarkLength times as long; returns the length
// written.
inline u32 put_space_marks(const u8* text, u32 length, u8* out) {
    u8* end = out;
    for (u32 i = 0; i < length; ++i) {
        if (text[i] != ' ') {
            *end++ = text[i];
            continue;
        }
        std::memcpy(end, kSpaceMark, kSpaceMarkLength);
        end += kSpaceMarkLength;
    }
    return static_cast<u32>(end - out);
}

}  // namespace crayon
