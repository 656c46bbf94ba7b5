// Thirty-two bases in an AVX2 register. See bases_scalar.h for the operations.
#pragma once

#include <immintrin.h>

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 32, kEqualBits = 1;
    __m256i v;

    struct Letters {
        __m256i rows[4];
        bool has_lower_case;
    };
    static Letters letters(const ByteMap& map) {
        Letters letters;
        for (int row = 0; row < 4; ++row) {
            const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(map.letters) + row);
            letters.rows[row] = _mm256_broadcastsi128_si256(entries);
        }
        letters.has_lower_case = map.has_lower_case;
        return letters;
    }
    static Bases load(const u8* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    // Sixteen entries at a time: all other bytes get their high bit set, for which the shuffle yields zero. Often there is
    // no lower case.
    Bases looked_up(const Letters& letters) const {
        const auto entries = [&](int row) {
            const __m256i first = _mm256_set1_epi8(static_cast<char>(64 + 16 * row)),
                          index = _mm256_adds_epu8(_mm256_xor_si256(v, first), _mm256_set1_epi8(0x70));
            return _mm256_shuffle_epi8(letters.rows[row], index);
        };
        const __m256i upper = _mm256_or_si256(entries(0), entries(1));
        return {letters.has_lower_case ? _mm256_or_si256(upper, _mm256_or_si256(entries(2), entries(3))) : upper};
    }
    bool are_letters() const {
        const __m256i top = _mm256_and_si256(v, _mm256_set1_epi8(static_cast<char>(0xC0)));
        return _mm256_movemask_epi8(_mm256_cmpeq_epi8(top, _mm256_set1_epi8(64))) == -1;
    }
    Bases flipped(u8 bits) const { return {_mm256_xor_si256(v, _mm256_set1_epi8(static_cast<char>(bits)))}; }
    bool has(u8 c) const { return equal(c) != 0; }
    u64 equal(u8 c) const {
        return static_cast<u32>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(static_cast<char>(c)))));
    }
    Bases reversed() const {
        const __m256i order = _mm256_broadcastsi128_si256(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        return {_mm256_permute4x64_epi64(_mm256_shuffle_epi8(v, order), 0x4E)};
    }

    template <class Id>
    void store_as(u8* p) const {
        if constexpr (sizeof(Id) == 1) {
            store(v, p);
        } else {
            store_half<Id>(_mm256_castsi256_si128(v), p);
            store_half<Id>(_mm256_extracti128_si256(v, 1), p + 16 * sizeof(Id));
        }
    }
    template <bool kHighFirst>
    void store_packed(u8* p) const {
        const __m256i pairs = _mm256_maddubs_epi16(v, _mm256_set1_epi32(kHighFirst ? 0x01041040 : 0x40100401)),
                      fours = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)),
                      bytes = _mm256_shuffle_epi8(fours, _mm256_set1_epi32(0x0C080400)),
                      both = _mm256_permutevar8x32_epi32(bytes, _mm256_set1_epi64x(0x0000000400000000));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(both));
    }

private:
    static void store(__m256i x, u8* p) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
    // Sixteen bytes.
    template <class Id>
    static void store_half(__m128i x, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            store(_mm256_cvtepu8_epi16(x), p);
        } else if constexpr (sizeof(Id) == 4) {
            store(_mm256_cvtepu8_epi32(x), p);
            store(_mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)), p + 32);
        } else {
            store(_mm256_cvtepu8_epi64(x), p);
            store(_mm256_cvtepu8_epi64(_mm_srli_si128(x, 4)), p + 32);
            store(_mm256_cvtepu8_epi64(_mm_srli_si128(x, 8)), p + 64);
            store(_mm256_cvtepu8_epi64(_mm_srli_si128(x, 12)), p + 96);
        }
    }
};

// Eight k-mers.
struct KmerLanes {
    static constexpr u32 kCount = 8;
    __m256i indices, shifts, first;
    __m128i unused;
    u32 stride;

    explicit KmerLanes(const KmerNumbers& kmers) {
        indices = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(kmers.byte_indices)));
        shifts = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(kmers.shifts)));
        first = _mm256_set1_epi32(static_cast<int>(kmers.first));
        unused = _mm_cvtsi32_si128(static_cast<int>(32 - 2 * kmers.k));
        stride = kmers.stride;
    }
    __m256i indexes(const u8* packed) const {
        const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(packed)),
                      high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(packed + stride));
        const __m256i bits = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), indices);
        return _mm256_srl_epi32(_mm256_sllv_epi32(bits, shifts), unused);
    }
    __m256i with_first(__m256i indexes) const { return _mm256_add_epi32(indexes, first); }
    static __m256i load(const u32* ids) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids)); }
    template <class Id>
    static void store_as(__m256i ids, u8* p) {
        __m256i* const out = reinterpret_cast<__m256i*>(p);
        const __m128i low = _mm256_castsi256_si128(ids), high = _mm256_extracti128_si256(ids, 1);
        if constexpr (sizeof(Id) == 2) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_packus_epi32(low, high));
        } else if constexpr (sizeof(Id) == 4) {
            _mm256_storeu_si256(out, ids);
        } else {
            _mm256_storeu_si256(out, _mm256_cvtepu32_epi64(low));
            _mm256_storeu_si256(out + 1, _mm256_cvtepu32_epi64(high));
        }
    }
};

}  // namespace crayon::CRAYON_KERNEL
