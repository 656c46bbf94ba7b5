// Sixteen units of UTF-16 in one AVX-512 register. See transcode.h for the operations.
#pragma once

#include <immintrin.h>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Units {
    __m256i v;

    static Units load(const u16* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    bool ascii() const { return _mm256_testz_si256(v, _mm256_set1_epi16(static_cast<short>(0xFF80))) != 0; }
    void narrow(u8* out) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtepi16_epi8(v)); }
    bool surrogates() const {
        const __m256i high = _mm256_and_si256(v, _mm256_set1_epi16(static_cast<short>(0xF800)));
        return _mm256_cmpeq_epi16_mask(high, _mm256_set1_epi16(static_cast<short>(0xD800))) != 0;
    }
    // Computes for each unit the bytes 1110…, 10…… or 110….., 10……, and the unit as ASCII, and keeps the bytes needed.
    u8* write(u8* out) const {
        const __m512i wide = _mm512_cvtepu16_epi32(v);
        const __mmask16 two = _mm512_cmpge_epu32_mask(wide, _mm512_set1_epi32(0x80)),
                        three = _mm512_cmpge_epu32_mask(wide, _mm512_set1_epi32(0x800));
        const __m512i fields = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x2020262C0000060C), wide);
        const __m512i prefixes = _mm512_mask_mov_epi32(_mm512_set1_epi32(0x0080C0E0), three, _mm512_set1_epi32(0x008080E0));
        constexpr int kAndOr = 0xEA;
        const __m512i bytes = _mm512_ternarylogic_epi32(fields, _mm512_set1_epi32(0x7F3F3F0F), prefixes, kAndOr);
        const __m512i marked = _mm512_mask_mov_epi32(
            _mm512_mask_mov_epi32(_mm512_set1_epi32(static_cast<int>(0xFF000000)), two, _mm512_set1_epi32(0x00FFFF00)), three,
            _mm512_set1_epi32(0x00FFFFFF));
        const __mmask64 keep = _mm512_movepi8_mask(marked);
        // Compressed in a register, because Zen 4 compresses to memory slowly.
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, bytes));
        return out + __builtin_popcountll(keep);
    }
};

}  // namespace crayon::CRAYON_KERNEL
