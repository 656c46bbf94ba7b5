// Eight lanes in an AVX-512 register. See lanes_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 8;
    __m512i v;

    static Lanes load(const void* p) { return {_mm512_loadu_si512(p)}; }
    void store(void* p) const { _mm512_storeu_si512(p, v); }
    Lanes next(u32 multiplier, Lanes word) const {
        const __m512i product = _mm512_mul_epu32(v, _mm512_set1_epi64(multiplier));
        return {_mm512_add_epi64(product, _mm512_add_epi64(_mm512_srli_epi64(v, 32), word.v))};
    }
};

}  // namespace crayon::CRAYON_KERNEL
