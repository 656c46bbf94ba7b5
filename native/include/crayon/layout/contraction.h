// English contractions, (?i:'s|'t|'re|'ve|'m|'ll|'d) and gpt2's form without (?i), for the engine and the GPU kernels.
#pragma once

#include <cstdint>

namespace crayon::layout {

// Length in bytes of a contraction's letters right after an apostrophe; `first` and `second` are the first two bytes there.
// 0 if there is no contraction. Ignoring case, U+017F (ſ, bytes C5 BF) matches s as well.
constexpr std::uint32_t contraction_letters(std::uint32_t first, std::uint32_t second, bool ignores_case) {
    const std::uint32_t fold = ignores_case ? 0x20 : 0;
    switch (first | fold) {
        case 's':
        case 't':
        case 'm':
        case 'd':
            return 1;
        case 'r':
        case 'v':
            return (second | fold) == 'e' ? 2 : 0;
        case 'l':
            return (second | fold) == 'l' ? 2 : 0;
        default:
            return ignores_case && first == 0xC5 && second == 0xBF ? 2 : 0;
    }
}

}  // namespace crayon::layout
