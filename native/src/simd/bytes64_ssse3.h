// Sixty-four bytes in four SSE registers. See bytes64_scalar.h for the operations.
#pragma once

#include <tmmintrin.h>

#include "base/integers.h"
#include "simd/units_ssse3.h"

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

struct Bytes64 {
    using Units = CRAYON_KERNEL::Units;
    __m128i v[4];

    static Bytes64 load(const u8* p) {
        Bytes64 bytes;
        for (int i = 0; i < 4; ++i) bytes.v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
        return bytes;
    }
    void store(u8* p) const {
        for (int i = 0; i < 4; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(p) + i, v[i]);
    }
    u64 equal(u8 c) const {
        const __m128i x = _mm_set1_epi8(static_cast<char>(c));
        return each([x](__m128i b) { return _mm_cmpeq_epi8(b, x); });
    }
    u64 between(u8 lo, u8 hi) const {
        const __m128i low = _mm_set1_epi8(static_cast<char>(lo)), width = _mm_set1_epi8(static_cast<char>(hi - lo));
        return each([low, width](__m128i b) {
            const __m128i distance = _mm_sub_epi8(b, low);
            return _mm_cmpeq_epi8(_mm_min_epu8(distance, width), distance);
        });
    }
    Bytes64 with_bits(u8 m) const {
        Bytes64 result;
        for (int i = 0; i < 4; ++i) result.v[i] = _mm_or_si128(v[i], _mm_set1_epi8(static_cast<char>(m)));
        return result;
    }
    u64 any_bits(u8 m) const {
        const __m128i x = _mm_set1_epi8(static_cast<char>(m));
        return ~each([x](__m128i b) { return _mm_cmpeq_epi8(_mm_and_si128(b, x), _mm_setzero_si128()); });
    }
    u64 non_ascii() const {
        return each([](__m128i b) { return b; });
    }
    u64 members(u64 set) const {
        const __m128i bits = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201)),
                      eights = _mm_set1_epi64x(static_cast<long long>(set));
        return each([bits, eights](__m128i b) {
            const __m128i eight = _mm_and_si128(_mm_srli_epi16(b, 3), _mm_set1_epi8(7)),
                          bit = _mm_shuffle_epi8(bits, _mm_and_si128(b, _mm_set1_epi8(7)));
            return _mm_cmpeq_epi8(_mm_and_si128(_mm_shuffle_epi8(eights, eight), bit), bit);
        });
    }
    // Sixteen entries at a time: all other bytes get their high bit set, for which the shuffle yields zero.
    Bytes64 looked_up(const u8* table) const {
        Bytes64 result;
        for (__m128i& bytes : result.v) bytes = _mm_setzero_si128();
        for (int row = 0; row < 8; ++row) {
            const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table) + row),
                          high = _mm_set1_epi8(static_cast<char>(row << 4));
            for (int i = 0; i < 4; ++i) {
                const __m128i index = _mm_adds_epu8(_mm_xor_si128(v[i], high), _mm_set1_epi8(0x70));
                result.v[i] = _mm_or_si128(result.v[i], _mm_shuffle_epi8(entries, index));
            }
        }
        return result;
    }
    u64 disjoint(const Bytes64& other) const {
        u64 mask = 0;
        for (int i = 0; i < 4; ++i) {
            const __m128i none = _mm_cmpeq_epi8(_mm_and_si128(v[i], other.v[i]), _mm_setzero_si128());
            mask |= u64{static_cast<u16>(_mm_movemask_epi8(none))} << (16 * i);
        }
        return mask;
    }

private:
    template <class Answer>
    u64 each(Answer answer) const {
        u64 mask = 0;
        for (int i = 0; i < 4; ++i) mask |= u64{static_cast<u16>(_mm_movemask_epi8(answer(v[i])))} << (16 * i);
        return mask;
    }
};

}  // namespace crayon::CRAYON_KERNEL
