// UTF-8 characters in arbitrary text: ill-formed bytes are taken in maximal parts (Unicode 16.0, 3.9), each a separate
// character.
#pragma once

#include "crayon/layout/utf8.h"
#include "device/device.h"

namespace crayon::gpu {

inline constexpr u32 kIllFormed = 0xFFFFFFFF;  // used in place of a code point

// A table of character classes has the block number of every 128 code points, and the classes of each block.
inline constexpr u32 kClassBlock = 128;
inline constexpr u32 kClassBlocks = 0x110000 / kClassBlock;

struct Character {
    u32 code_point;  // or kIllFormed
    u32 length;      // in bytes, 1 … 4
};

// The character at a position before `end`; nothing at or after `end` is read.
template <class Text>
CRAYON_KERNEL_CODE Character character_at(Text& text, u32 at, u32 end) {
    const u32 first = text(at);
    if (first < 0x80) return {first, 1};
    const auto byte = [&](u32 i) { return at + i < end ? text(at + i) : 0u; };
    if (first < 0xC2 || first > 0xF4) return {kIllFormed, 1};
    const u32 second = byte(1);
    if (second < layout::least_second(first) || second > layout::most_second(first)) return {kIllFormed, 1};
    if (first < 0xE0) return {(first & 0x1F) << 6 | (second & 0x3F), 2};
    const u32 third = byte(2);
    if (!layout::is_continuation(third)) return {kIllFormed, 2};
    if (first < 0xF0) return {(first & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F), 3};
    const u32 fourth = byte(3);
    if (!layout::is_continuation(fourth)) return {kIllFormed, 3};
    return {(first & 7) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | (fourth & 0x3F), 4};
}

template <class Text>
CRAYON_KERNEL_CODE u32 character_length(Text& text, u32 at, u32 end) {
    return character_at(text, at, end).length;
}

}  // namespace crayon::gpu
