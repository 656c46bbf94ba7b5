// The bits of a mask as a list of places in the text.
#pragma once

#include <bit>

#include "base/integers.h"

namespace crayon::CRAYON_ROW {

// Writes base + i for every bit i of the mask, ascending, and returns where the next one would be; from there up to
// out + 64 anything may have been written. Eight at a time: how many there are is as good as random, and a branch that
// is guessed wrong costs more than places written in vain.
template <class Bytes>
inline u32* write_places(u64 mask, u32 base, u32* out) {
    if constexpr (requires { Bytes::write_places(mask, base, out); }) {
        return Bytes::write_places(mask, base, out);
    } else {
        constexpr u64 kTop = u64{1} << 63;  // or compilers make a branch for a mask of 0
        u32* const end = out + std::popcount(mask);
        do {
            for (int i = 0; i < 8; ++i, mask &= mask - 1)
                out[i] = base + static_cast<u32>(std::countr_zero(mask | kTop));
            out += 8;
        } while (mask);
        return end;
    }
}

}  // namespace crayon::CRAYON_ROW
