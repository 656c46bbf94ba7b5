// Sixteen units of UTF-16 in two SSE registers; the AVX2 kernel uses the same. See transcode.h for the operations.
#pragma once

#include <tmmintrin.h>

#include <bit>

#include "base/integers.h"
#include "simd/packed_utf8.h"

namespace crayon::CRAYON_KERNEL {

struct Units {
    __m128i v[2];

    static Units load(const u16* p) {
        return {{_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + 1)}};
    }
    bool ascii() const {
        const __m128i high = _mm_and_si128(_mm_or_si128(v[0], v[1]), _mm_set1_epi16(static_cast<short>(0xFF80)));
        return _mm_movemask_epi8(_mm_cmpeq_epi8(high, _mm_setzero_si128())) == 0xFFFF;
    }
    void narrow(u8* out) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(v[0], v[1])); }
    bool surrogates() const { return _mm_movemask_epi8(_mm_or_si128(surrogates(v[0]), surrogates(v[1]))) != 0; }
    u8* write(u8* out) const {
        for (const __m128i& eight : v) {
            out = write_four(_mm_unpacklo_epi16(eight, _mm_setzero_si128()), out);
            out = write_four(_mm_unpackhi_epi16(eight, _mm_setzero_si128()), out);
        }
        return out;
    }

private:
    static __m128i surrogates(__m128i eight) {
        const __m128i high = _mm_and_si128(eight, _mm_set1_epi16(static_cast<short>(0xF800)));
        return _mm_cmpeq_epi16(high, _mm_set1_epi16(static_cast<short>(0xD800)));
    }
    // Computes the four bytes of each unit that packed_utf8.h describes.
    static u8* write_four(__m128i wide, u8* out) {
        const __m128i two = _mm_cmpgt_epi32(wide, _mm_set1_epi32(0x7F)), three = _mm_cmpgt_epi32(wide, _mm_set1_epi32(0x7FF));
        const __m128i first = _mm_srli_epi32(wide, 12), second = _mm_and_si128(_mm_slli_epi32(wide, 2), _mm_set1_epi32(0x3F00)),
                      third = _mm_and_si128(_mm_slli_epi32(wide, 16), _mm_set1_epi32(0x3F0000)), ascii = _mm_slli_epi32(wide, 24);
        const __m128i second_of_three = _mm_and_si128(three, _mm_set1_epi32(0x4000)),
                      prefixes = _mm_andnot_si128(second_of_three, _mm_set1_epi32(0x0080C0E0));
        const __m128i bytes = _mm_or_si128(_mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, ascii)), prefixes);
        const u32 lengths =
            static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(two)) | _mm_movemask_ps(_mm_castsi128_ps(three)) << 4);
        const __m128i shuffle = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kPackedUtf8.shuffles[lengths]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(bytes, shuffle));
        return out + 4 + std::popcount(lengths);
    }
};

}  // namespace crayon::CRAYON_KERNEL
