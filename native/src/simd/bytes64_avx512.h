// Sixty-four bytes in one AVX-512 register. See bytes64_scalar.h for the vocabulary.
#pragma once

#include <immintrin.h>

#include "base/integers.h"

namespace crayon::CRAYON_ROW {

struct Bytes64 {
    __m512i v;

    static Bytes64 load(const u8* p) { return {_mm512_loadu_si512(p)}; }
    u64 equal(u8 c) const { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(c))); }
    u64 between(u8 lo, u8 hi) const {
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(static_cast<char>(lo))),
                                      _mm512_set1_epi8(static_cast<char>(hi - lo)));
    }
    Bytes64 with_bits(u8 m) const { return {_mm512_or_si512(v, _mm512_set1_epi8(static_cast<char>(m)))}; }
    u64 any_bits(u8 m) const { return _mm512_test_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(m))); }
    u64 non_ascii() const { return _mm512_movepi8_mask(v); }
};

}  // namespace crayon::CRAYON_ROW
