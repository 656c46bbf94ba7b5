// Shuffles that pack the UTF-8 of four units, for rows that shuffle sixteen bytes by a register.
#pragma once

#include <array>
#include <bit>

#include "base/integers.h"

namespace crayon {

// Four groups of four bytes hold the UTF-8 of four units: 1110…, 10…… or 110….., 10……, and the unit as ASCII.
// kPackedUtf8[two | three << 4] moves those to keep to the front; bit k of `two` says that unit k takes two bytes or
// more, of `three` that it takes three. They are 4 + popcount(two) + popcount(three).
inline constexpr auto kPackedUtf8 = [] {
    std::array<std::array<u8, 16>, 256> shuffles{};
    for (u32 lengths = 0; lengths < 256; ++lengths) {
        u32 length = 0;
        const auto keep = [&](u32 byte) { shuffles[lengths][length++] = static_cast<u8>(byte); };
        for (u32 k = 0; k < 4; ++k) {
            const bool two = lengths >> k & 1, three = lengths >> (4 + k) & 1;
            if (three) keep(4 * k);
            if (two) keep(4 * k + 1);
            keep(two ? 4 * k + 2 : 4 * k + 3);
        }
        while (length < 16) keep(0x80);
    }
    return shuffles;
}();

}  // namespace crayon
