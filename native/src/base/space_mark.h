// U+2581, which SentencePiece vocabularies use for a space.
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon {

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
