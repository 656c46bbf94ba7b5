// The bits of a mask as a list of positions in the text.
#pragma once

#include <bit>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

// Writes base + i for every bit i of the mask, ascending, and returns the position after the last one; elements up to out +
// 64 may be overwritten. Writes eight at a time: the number of bits is unpredictable, and a mispredicted branch costs more
// than extra writes.
template <class Bytes>
inline u32* write_positions(u64 mask, u32 base, u32* out) {
    if constexpr (requires { Bytes::write_positions(mask, base, out); }) {
        return Bytes::write_positions(mask, base, out);
    } else {
        constexpr u64 kTop = u64{1} << 63;  // avoids the compiler's branch for a mask of 0
        u32* const end = out + std::popcount(mask);
        do {
            for (int i = 0; i < 8; ++i, mask &= mask - 1) out[i] = base + static_cast<u32>(std::countr_zero(mask | kTop));
            out += 8;
        } while (mask);
        return end;
    }
}

}  // namespace crayon::CRAYON_KERNEL
