// Reads one UTF-8 character, which may be ill-formed, and writes one.
//
// Bytes that are not UTF-8 stay in the text: each maximal subpart of an ill-formed sequence counts as one character, U+FFFD
// (Unicode 16.0, section 3.9, "U+FFFD substitution of maximal subparts"; the WHATWG decoder does the same).
#pragma once

#include <cstring>

#include "base/integers.h"
#include "crayon/layout/utf8.h"

namespace crayon {

using layout::is_continuation;

struct Character {
    u32 code_point;
    u32 length;  // bytes, 1…4
};

// Reads p[0…3]. Texts are followed by zero bytes, which end any sequence.
[[gnu::always_inline]] inline Character decode_character(const u8* p) {
    const u32 b0 = p[0];
    if (b0 < 0x80) return {b0, 1};
    constexpr u32 kReplacement = 0xFFFD;
    if (b0 < 0xE0) {
        if (b0 < 0xC2 || !is_continuation(p[1])) return {kReplacement, 1};
        return {(b0 & 0x1F) << 6 | (p[1] & 0x3Fu), 2};
    }
    const u32 b1 = p[1];
    if (b0 < 0xF0) {
        const u32 low = b0 == 0xE0 ? 0xA0 : 0x80, high = b0 == 0xED ? 0x9F : 0xBF;  // no overlong forms, no surrogates
        if (b1 < low || b1 > high) return {kReplacement, 1};
        if (!is_continuation(p[2])) return {kReplacement, 2};
        return {(b0 & 0x0F) << 12 | (b1 & 0x3F) << 6 | (p[2] & 0x3Fu), 3};
    }
    const u32 low = b0 == 0xF0 ? 0x90 : 0x80, high = b0 == 0xF4 ? 0x8F : 0xBF;  // at most U+10FFFF
    if (b0 > 0xF4 || b1 < low || b1 > high) return {kReplacement, 1};
    if (!is_continuation(p[2])) return {kReplacement, 2};
    if (!is_continuation(p[3])) return {kReplacement, 3};
    return {(b0 & 0x07) << 18 | (b1 & 0x3F) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu), 4};
}

// The character at text[at] of a text that ends at `size`; bytes after `size` have no effect.
inline Character character_in(const u8* text, size_t at, size_t size) {
    if (size - at >= 4) return decode_character(text + at);
    u8 bytes[4] = {};
    std::memcpy(bytes, text + at, size - at);
    return decode_character(bytes);
}

// Whether a decoded character stands for bytes that are not UTF-8; `text`: where it begins.
[[gnu::always_inline]] inline bool is_ill_formed(const Character& character, const u8* text) {
    return character.code_point == 0xFFFD && !(character.length == 3 && *text == 0xEF);
}

// The character that ends at `at` (not 0) of a text that begins at `text`; U+FFFD if none ends there.
inline u32 character_before(const u8* text, size_t at) {
    size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && is_continuation(text[begin])) --begin;
    const Character character = character_in(text, begin, at);
    return character.length == at - begin ? character.code_point : 0xFFFD;
}

// Writes a code point, which may be half of a surrogate pair. Returns the number of bytes, 1…4.
[[gnu::always_inline]] inline u32 put_utf8(u32 code, u8* out) {
    if (code < 0x80) {
        out[0] = static_cast<u8>(code);
        return 1;
    }
    const auto tail = [code](u32 shift) { return static_cast<u8>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x800) {
        out[0] = static_cast<u8>(0xC0 | code >> 6);
        out[1] = tail(0);
        return 2;
    }
    if (code < 0x10000) {
        out[0] = static_cast<u8>(0xE0 | code >> 12);
        out[1] = tail(6);
        out[2] = tail(0);
        return 3;
    }
    out[0] = static_cast<u8>(0xF0 | code >> 18);
    out[1] = tail(12);
    out[2] = tail(6);
    out[3] = tail(0);
    return 4;
}

// The length alone, in less code: for callers that need size more than speed.
inline u32 character_length(const u8* p) {
    const u32 b0 = p[0], whole = layout::announced_length(b0);
    u32 lowest = layout::least_second(b0), highest = layout::most_second(b0);
    u32 length = 1;
    for (; length < whole && p[length] >= lowest && p[length] <= highest; ++length) {
        lowest = 0x80;
        highest = 0xBF;
    }
    return length;
}

inline bool is_ascii(const u8* text, size_t length) {
    u64 seen = 0, word, words[4];
    for (; length >= sizeof(words); text += sizeof(words), length -= sizeof(words)) {
        std::memcpy(words, text, sizeof(words));
        seen |= words[0] | words[1] | words[2] | words[3];
    }
    for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
        std::memcpy(&word, text, sizeof(word));
        seen |= word;
    }
    for (; length > 0; --length) seen |= *text++;
    return (seen & 0x8080808080808080) == 0;
}

}  // namespace crayon
