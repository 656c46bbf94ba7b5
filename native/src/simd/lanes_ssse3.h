// Two lanes in an SSE register. See lanes_scalar.h for the operations.
#pragma once

#include <emmintrin.h>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 2;
    __m128i v;

    static Lanes load(const void* p) { return {_mm_loadu_si128(static_cast<const __m128i*>(p))}; }
    void store(void* p) const { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
    Lanes next(u32 multiplier, Lanes word) const {
        const __m128i product = _mm_mul_epu32(v, _mm_set1_epi64x(multiplier));
        return {_mm_add_epi64(product, _mm_add_epi64(_mm_srli_epi64(v, 32), word.v))};
    }
};

}  // namespace crayon::CRAYON_KERNEL
