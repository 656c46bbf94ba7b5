// UTF-8 byte rules (Unicode 16.0, table 3-7), for the engine and the GPU kernels.
#pragma once

#include <cstdint>

namespace crayon::layout {

constexpr bool is_continuation(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// Length in bytes of the character that this byte begins; 1 if it begins none.
constexpr std::uint32_t announced_length(std::uint32_t first) {
    return first < 0xC2 || first > 0xF4 ? 1 : 2 + (first >= 0xE0) + (first >= 0xF0);
}

// The range of the second byte of a multi-byte character: no overlong forms, no surrogates, at most U+10FFFF.
constexpr std::uint32_t least_second(std::uint32_t first) { return first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80; }
constexpr std::uint32_t most_second(std::uint32_t first) { return first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF; }

}  // namespace crayon::layout
