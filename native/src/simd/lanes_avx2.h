// Four lanes in an AVX2 register. See lanes_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 4;
    __m256i v;

    static Lanes load(const void* p) { return {_mm256_loadu_si256(static_cast<const __m256i*>(p))}; }
    void store(void* p) const { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
    Lanes next(u32 multiplier, Lanes word) const {
        const __m256i product = _mm256_mul_epu32(v, _mm256_set1_epi64x(multiplier));
        return {_mm256_add_epi64(product, _mm256_add_epi64(_mm256_srli_epi64(v, 32), word.v))};
    }
};

}  // namespace crayon::CRAYON_KERNEL
