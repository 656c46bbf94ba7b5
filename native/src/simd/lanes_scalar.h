// 64-bit lanes: the vector vocabulary of the checksum (cartridge/checksum_blocks.h), here without vectors.
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 1;
    u64 v;

    static Lanes load(const void* p) {
        Lanes lanes;
        std::memcpy(&lanes.v, p, 8);
        return lanes;
    }
    void store(void* p) const { std::memcpy(p, &v, 8); }
    // The lower half times the multiplier, plus the upper half, plus the word.
    Lanes next(u32 multiplier, Lanes word) const { return {u64{static_cast<u32>(v)} * multiplier + ((v >> 32) + word.v)}; }
};

}  // namespace crayon::CRAYON_KERNEL
