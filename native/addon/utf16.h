// UTF-8 to UTF-16 as in TextDecoder: each maximal part of an incomplete character, and each byte that cannot begin a
// character, becomes one U+FFFD; a byte order mark is kept. (V8's own decoder handles one byte at a time.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace crayon::addon {

namespace utf8 {

inline bool continues(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Copies ASCII word by word; returns the number of bytes.
inline std::size_t copy_ascii(const std::uint8_t* bytes, std::size_t count, char16_t* out) {
    std::size_t at = 0;
    for (std::uint64_t word; count - at >= sizeof(word); at += sizeof(word)) {
        std::memcpy(&word, bytes + at, sizeof(word));
        if (word & 0x8080808080808080) break;
        for (std::size_t i = 0; i < sizeof(word); ++i) out[at + i] = bytes[at + i];
    }
    return at;
}

// The range of the second byte of a character, by its first byte, which is below 0xF5.
struct Second {
    std::uint8_t low, high;
};
inline Second second_byte(std::uint8_t first) {
    switch (first) {
        case 0xE0:
            return {0xA0, 0xBF};  // no overlong three-byte forms
        case 0xED:
            return {0x80, 0x9F};  // no surrogates
        case 0xF0:
            return {0x90, 0xBF};  // no overlong four-byte forms
        case 0xF4:
            return {0x80, 0x8F};  // at most U+10FFFF
        default:
            return {0x80, 0xBF};
    }
}

// Decodes the character, or the incomplete part of one, at `at`; returns the number of units and moves `at` after it.
inline std::size_t decode_one(const std::uint8_t* bytes, std::size_t count, std::size_t& at, char16_t* out) {
    std::uint8_t first = bytes[at++];
    *out = 0xFFFD;
    if (first < 0xC2 || first > 0xF4) {
        if (first < 0x80) *out = first;
        return 1;
    }
    Second second = second_byte(first);
    if (at == count || bytes[at] < second.low || bytes[at] > second.high) return 1;
    std::uint32_t code = bytes[at++] & 0x3F;
    if (first < 0xE0) {
        *out = static_cast<char16_t>((first & 0x1F) << 6 | code);
        return 1;
    }
    if (at == count || !continues(bytes[at])) return 1;
    code = code << 6 | (bytes[at++] & 0x3F);
    if (first < 0xF0) {
        *out = static_cast<char16_t>((first & 0x0F) << 12 | code);
        return 1;
    }
    if (at == count || !continues(bytes[at])) return 1;
    code = (first & 0x07u) << 18 | code << 6 | (bytes[at++] & 0x3F);
    out[0] = static_cast<char16_t>(0xD7C0 + (code >> 10));
    out[1] = static_cast<char16_t>(0xDC00 | (code & 0x3FF));
    return 2;
}

}  // namespace utf8

// `out` needs space for `count` units; returns the number written.
inline std::size_t to_utf16(const std::uint8_t* bytes, std::size_t count, char16_t* out) {
    std::size_t at = 0, units = 0;
    while (at < count) {
        std::size_t ascii = utf8::copy_ascii(bytes + at, count - at, out + units);
        at += ascii;
        units += ascii;
        // The rest of the word; in most scripts, many more such characters follow.
        for (std::size_t i = 0; i < 8 && at < count; ++i) {
            if (bytes[at] >= 0xE1 && bytes[at] <= 0xEC && count - at >= 3 && utf8::continues(bytes[at + 1]) &&
                utf8::continues(bytes[at + 2])) {
                out[units++] =
                    static_cast<char16_t>((bytes[at] & 0x0F) << 12 | (bytes[at + 1] & 0x3F) << 6 | (bytes[at + 2] & 0x3F));
                at += 3;
                i = 0;
            } else {
                units += utf8::decode_one(bytes, count, at, out + units);
            }
        }
    }
    return units;
}

}  // namespace crayon::addon
