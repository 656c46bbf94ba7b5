// Sixty-four bases in an AVX-512 register. See bases_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 64, kEqualBits = 1;
    __m512i v;

    struct Letters {
        __m512i entries;
    };
    static Letters letters(const ByteMap& map) { return {_mm512_loadu_si512(map.letters)}; }
    static Bases load(const u8* p) { return {_mm512_loadu_si512(p)}; }
    Bases looked_up(const Letters& letters) const { return {_mm512_maskz_permutexvar_epi8(letter_mask(), v, letters.entries)}; }
    bool are_letters() const { return ~letter_mask() == 0; }
    Bases flipped(u8 bits) const { return {_mm512_xor_si512(v, _mm512_set1_epi8(static_cast<char>(bits)))}; }
    bool has(u8 c) const { return equal(c) != 0; }
    u64 equal(u8 c) const { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(c))); }
    Bases reversed() const {
        const __m512i order = _mm512_broadcast_i32x4(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        const __m512i lanes = _mm512_shuffle_epi8(v, order);
        return {_mm512_shuffle_i32x4(lanes, lanes, 0x1B)};
    }

    template <class Id>
    void store_as(u8* p) const {
        if constexpr (sizeof(Id) == 1) {
            store(v, p);
        } else if constexpr (sizeof(Id) == 2) {
            store(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(v)), p);
            store(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(v, 1)), p + 64);
        } else {
            store_quarter<Id>(_mm512_castsi512_si128(v), p);
            store_quarter<Id>(_mm512_extracti32x4_epi32(v, 1), p + 16 * sizeof(Id));
            store_quarter<Id>(_mm512_extracti32x4_epi32(v, 2), p + 32 * sizeof(Id));
            store_quarter<Id>(_mm512_extracti32x4_epi32(v, 3), p + 48 * sizeof(Id));
        }
    }
    template <bool kHighFirst>
    void store_packed(u8* p) const {
        const __m512i pairs = _mm512_maddubs_epi16(v, _mm512_set1_epi32(kHighFirst ? 0x01041040 : 0x40100401)),
                      fours = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(fours));
    }

private:
    __mmask64 letter_mask() const {
        return _mm512_cmplt_epu8_mask(_mm512_xor_si512(v, _mm512_set1_epi8(64)), _mm512_set1_epi8(64));
    }
    static void store(__m512i x, u8* p) { _mm512_storeu_si512(p, x); }
    // Sixteen bytes.
    template <class Id>
    static void store_quarter(__m128i x, u8* p) {
        if constexpr (sizeof(Id) == 4) {
            store(_mm512_cvtepu8_epi32(x), p);
        } else {
            store(_mm512_cvtepu8_epi64(x), p);
            store(_mm512_cvtepu8_epi64(_mm_srli_si128(x, 8)), p + 64);
        }
    }
};

// Sixteen k-mers.
struct KmerLanes {
    static constexpr u32 kCount = 16;
    __m512i indices, shifts, first;
    __m128i unused;

    explicit KmerLanes(const KmerNumbers& kmers) {
        // Each group of four starts as many bytes further as the stride has bases.
        const __m512i fours = _mm512_mullo_epi32(_mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0),
                                                 _mm512_set1_epi32(static_cast<int>(kmers.stride * 0x01010101)));
        indices = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(kmers.byte_indices)));
        indices = _mm512_add_epi8(indices, fours);
        shifts = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(kmers.shifts)));
        first = _mm512_set1_epi32(static_cast<int>(kmers.first));
        unused = _mm_cvtsi32_si128(static_cast<int>(32 - 2 * kmers.k));
    }
    __m512i indexes(const u8* packed) const {
        const __m512i bits = _mm512_permutexvar_epi8(indices, _mm512_loadu_si512(packed));
        return _mm512_srl_epi32(_mm512_sllv_epi32(bits, shifts), unused);
    }
    __m512i with_first(__m512i indexes) const { return _mm512_add_epi32(indexes, first); }
    static __m512i load(const u32* ids) { return _mm512_loadu_si512(ids); }
    template <class Id>
    static void store_as(__m512i ids, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(ids));
        } else if constexpr (sizeof(Id) == 4) {
            _mm512_storeu_si512(p, ids);
        } else {
            _mm512_storeu_si512(p, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(ids)));
            _mm512_storeu_si512(p + 64, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(ids, 1)));
        }
    }
};

}  // namespace crayon::CRAYON_KERNEL
