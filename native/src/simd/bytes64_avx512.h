// Sixty-four bytes in one AVX-512 register. See bytes64_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include <array>

#include "base/integers.h"
#include "simd/units_avx512.h"

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

struct Bytes64 {
    using Units = CRAYON_KERNEL::Units;
    __m512i v;

    static Bytes64 load(const u8* p) { return {_mm512_loadu_si512(p)}; }
    void store(u8* p) const { _mm512_storeu_si512(p, v); }
    u64 equal(u8 c) const { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(c))); }
    u64 between(u8 lo, u8 hi) const {
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(static_cast<char>(lo))),
                                      _mm512_set1_epi8(static_cast<char>(hi - lo)));
    }
    Bytes64 with_bits(u8 m) const { return {_mm512_or_si512(v, _mm512_set1_epi8(static_cast<char>(m)))}; }
    u64 any_bits(u8 m) const { return _mm512_test_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(m))); }
    u64 non_ascii() const { return _mm512_movepi8_mask(v); }
    u64 members(u64 set) const { return _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(static_cast<long long>(set)), v); }
    Bytes64 looked_up(const u8* table) const {
        return {_mm512_permutex2var_epi8(_mm512_loadu_si512(table), v, _mm512_loadu_si512(table + 64))};
    }
    u64 disjoint(const Bytes64& other) const { return _mm512_testn_epi8_mask(v, other.v); }
    static u32* write_positions(u64 mask, u32 base, u32* out) {
        alignas(64) static constexpr auto kIndices = [] {
            std::array<u8, 64> indices{};
            for (u8 i = 0; i < 64; ++i) indices[i] = i;
            return indices;
        }();
        const __m512i indices = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(kIndices.data()));
        const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
        const int count = __builtin_popcountll(mask);
        _mm512_storeu_si512(out, _mm512_add_epi32(bases, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(indices))));
        if (count > 16) [[unlikely]] {
            const __m128i rest[] = {_mm512_extracti32x4_epi32(indices, 1), _mm512_extracti32x4_epi32(indices, 2),
                                    _mm512_extracti32x4_epi32(indices, 3)};
            for (int i = 0; i < 3; ++i)
                _mm512_storeu_si512(out + 16 * (i + 1), _mm512_add_epi32(bases, _mm512_cvtepu8_epi32(rest[i])));
        }
        return out + count;
    }
};

}  // namespace crayon::CRAYON_KERNEL
