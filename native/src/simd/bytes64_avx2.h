// Sixty-four bytes in two AVX2 registers. See bytes64_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include "base/integers.h"
#include "simd/units_ssse3.h"

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

struct Bytes64 {
    using Units = CRAYON_KERNEL::Units;
    __m256i v[2];

    static Bytes64 load(const u8* p) {
        return {{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p) + 1)}};
    }
    void store(u8* p) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v[0]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p) + 1, v[1]);
    }
    u64 equal(u8 c) const {
        const __m256i x = _mm256_set1_epi8(static_cast<char>(c));
        return each([x](__m256i b) { return _mm256_cmpeq_epi8(b, x); });
    }
    u64 between(u8 lo, u8 hi) const {
        const __m256i low = _mm256_set1_epi8(static_cast<char>(lo)), width = _mm256_set1_epi8(static_cast<char>(hi - lo));
        return each([low, width](__m256i b) {
            const __m256i distance = _mm256_sub_epi8(b, low);
            return _mm256_cmpeq_epi8(_mm256_min_epu8(distance, width), distance);
        });
    }
    Bytes64 with_bits(u8 m) const {
        const __m256i x = _mm256_set1_epi8(static_cast<char>(m));
        return {{_mm256_or_si256(v[0], x), _mm256_or_si256(v[1], x)}};
    }
    u64 any_bits(u8 m) const {
        const __m256i x = _mm256_set1_epi8(static_cast<char>(m));
        return ~each([x](__m256i b) { return _mm256_cmpeq_epi8(_mm256_and_si256(b, x), _mm256_setzero_si256()); });
    }
    u64 non_ascii() const {
        return each([](__m256i b) { return b; });
    }
    u64 members(u64 set) const {
        const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201)),
                      eights = _mm256_set1_epi64x(static_cast<long long>(set));
        return each([bits, eights](__m256i b) {
            const __m256i eight = _mm256_and_si256(_mm256_srli_epi16(b, 3), _mm256_set1_epi8(7)),
                          bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(b, _mm256_set1_epi8(7)));
            return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(eights, eight), bit), bit);
        });
    }
    // Eight shuffles by the low four bits, one for each value of the next three bits, which then select among the results
    // bit by bit.
    Bytes64 looked_up(const u8* table) const {
        Bytes64 result;
        __m256i rows[8];
        for (int row = 0; row < 8; ++row) {
            const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table) + row);
            rows[row] = _mm256_broadcastsi128_si256(entries);
        }
        for (int i = 0; i < 2; ++i) {
            // Each bit is shifted to the top of its byte, where the blend reads it.
            const __m256i bit4 = _mm256_slli_epi16(v[i], 3), bit5 = _mm256_slli_epi16(v[i], 2), bit6 = _mm256_slli_epi16(v[i], 1);
            const auto pair = [&](int row) {
                return _mm256_blendv_epi8(_mm256_shuffle_epi8(rows[row], v[i]), _mm256_shuffle_epi8(rows[row + 1], v[i]), bit4);
            };
            result.v[i] =
                _mm256_blendv_epi8(_mm256_blendv_epi8(pair(0), pair(2), bit5), _mm256_blendv_epi8(pair(4), pair(6), bit5), bit6);
        }
        return result;
    }
    u64 disjoint(const Bytes64& other) const {
        const auto half = [&](int i) {
            const __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(v[i], other.v[i]), _mm256_setzero_si256());
            return static_cast<u32>(_mm256_movemask_epi8(none));
        };
        return half(0) | u64{half(1)} << 32;
    }

private:
    template <class Answer>
    u64 each(Answer answer) const {
        return static_cast<u32>(_mm256_movemask_epi8(answer(v[0]))) | u64{static_cast<u32>(_mm256_movemask_epi8(answer(v[1])))}
                                                                          << 32;
    }
};

}  // namespace crayon::CRAYON_KERNEL
