// Two lanes in a NEON register. See lanes_scalar.h for the operations.
#pragma once

#include <arm_neon.h>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 2;
    uint64x2_t v;

    static Lanes load(const void* p) { return {vreinterpretq_u64_u8(vld1q_u8(static_cast<const u8*>(p)))}; }
    void store(void* p) const { vst1q_u8(static_cast<u8*>(p), vreinterpretq_u8_u64(v)); }
    Lanes next(u32 multiplier, Lanes word) const {
        return {vmlal_u32(vsraq_n_u64(word.v, v, 32), vmovn_u64(v), vdup_n_u32(multiplier))};
    }
};

}  // namespace crayon::CRAYON_KERNEL
