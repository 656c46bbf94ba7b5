// The bytes of UTF-8 (Unicode 16.0, table 3-7), for the engine and for the kernels of accelerators.
#pragma once

#include <cstdint>

namespace crayon::layout {

constexpr bool is_continuation(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the character that begins with this one; 1 where none does.
constexpr std::uint32_t announced_length(std::uint32_t first) {
    return first < 0xC2 || first > 0xF4 ? 1 : 2 + (first >= 0xE0) + (first >= 0xF0);
}

// The second byte of a character of several bytes: no overlong forms, no surrogates, at most U+10FFFF.
constexpr std::uint32_t least_second(std::uint32_t first) { return first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80; }
constexpr std::uint32_t most_second(std::uint32_t first) { return first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF; }

}  // namespace crayon::layout
