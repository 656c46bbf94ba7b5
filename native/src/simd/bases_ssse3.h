// Sixteen bases in an SSE register. See bases_scalar.h for the operations.
#pragma once

#include <tmmintrin.h>

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 16, kEqualBits = 1;
    __m128i v;

    struct Letters {
        __m128i rows[4];
        bool has_lower_case;
    };
    static Letters letters(const ByteMap& map) {
        Letters letters;
        for (int row = 0; row < 4; ++row) letters.rows[row] = row_at(map.letters, row);
        letters.has_lower_case = map.has_lower_case;
        return letters;
    }
    static Bases load(const u8* p) { return {row_at(p, 0)}; }
    // Sixteen entries at a time: all other bytes get their high bit set, for which the shuffle yields zero. Often there is
    // no lower case.
    Bases looked_up(const Letters& letters) const {
        const auto entries = [&](int row) {
            const __m128i first = _mm_set1_epi8(static_cast<char>(64 + 16 * row)),
                          index = _mm_adds_epu8(_mm_xor_si128(v, first), _mm_set1_epi8(0x70));
            return _mm_shuffle_epi8(letters.rows[row], index);
        };
        const __m128i upper = _mm_or_si128(entries(0), entries(1));
        return {letters.has_lower_case ? _mm_or_si128(upper, _mm_or_si128(entries(2), entries(3))) : upper};
    }
    bool are_letters() const {
        const __m128i top = _mm_and_si128(v, _mm_set1_epi8(static_cast<char>(0xC0)));
        return _mm_movemask_epi8(_mm_cmpeq_epi8(top, _mm_set1_epi8(64))) == 0xFFFF;
    }
    Bases flipped(u8 bits) const { return {_mm_xor_si128(v, _mm_set1_epi8(static_cast<char>(bits)))}; }
    bool has(u8 c) const { return equal(c) != 0; }
    u64 equal(u8 c) const { return static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(static_cast<char>(c))))); }
    Bases reversed() const { return {_mm_shuffle_epi8(v, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))}; }

    template <class Id>
    void store_as(u8* p) const {
        const __m128i zero = _mm_setzero_si128();
        if constexpr (sizeof(Id) == 1) {
            store(v, p);
        } else {
            store_wider<Id>(_mm_unpacklo_epi8(v, zero), p);
            store_wider<Id>(_mm_unpackhi_epi8(v, zero), p + 8 * sizeof(Id));
        }
    }
    template <bool kHighFirst>
    void store_packed(u8* p) const {
        const __m128i pairs = _mm_maddubs_epi16(v, _mm_set1_epi32(kHighFirst ? 0x01041040 : 0x40100401)),
                      fours = _mm_madd_epi16(pairs, _mm_set1_epi16(1)),
                      bytes = _mm_shuffle_epi8(fours, _mm_set1_epi32(0x0C080400));
        const int packed = _mm_cvtsi128_si32(bytes);
        __builtin_memcpy(p, &packed, 4);
    }

private:
    static __m128i row_at(const u8* p, int row) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + row); }
    static void store(__m128i x, u8* p) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
    // Eight numbers of 16 bits.
    template <class Id>
    static void store_wider(__m128i x, u8* p) {
        const __m128i zero = _mm_setzero_si128();
        if constexpr (sizeof(Id) == 2) {
            store(x, p);
        } else {
            const __m128i low = _mm_unpacklo_epi16(x, zero), high = _mm_unpackhi_epi16(x, zero);
            if constexpr (sizeof(Id) == 4) {
                store(low, p);
                store(high, p + 16);
            } else {
                store(_mm_unpacklo_epi32(low, zero), p);
                store(_mm_unpackhi_epi32(low, zero), p + 16);
                store(_mm_unpacklo_epi32(high, zero), p + 32);
                store(_mm_unpackhi_epi32(high, zero), p + 48);
            }
        }
    }
};

// Per-lane shifts do not exist: one by one.
struct KmerLanes {
    static constexpr u32 kCount = 0;
};

}  // namespace crayon::CRAYON_KERNEL
