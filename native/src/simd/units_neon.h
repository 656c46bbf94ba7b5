// Sixteen units of UTF-16 in two NEON registers. See transcode.h for the operations.
#pragma once

#include <arm_neon.h>

#include "base/integers.h"
#include "simd/packed_utf8.h"

namespace crayon::CRAYON_KERNEL {

struct Units {
    uint16x8_t v[2];

    static Units load(const u16* p) { return {{vld1q_u16(p), vld1q_u16(p + 8)}}; }
    bool ascii() const { return vmaxvq_u16(vorrq_u16(v[0], v[1])) < 0x80; }
    void narrow(u8* out) const { vst1q_u8(out, vcombine_u8(vmovn_u16(v[0]), vmovn_u16(v[1]))); }
    bool surrogates() const { return vmaxvq_u16(vorrq_u16(surrogates(v[0]), surrogates(v[1]))) != 0; }
    u8* write(u8* out) const {
        for (const uint16x8_t& eight : v) {
            out = write_four(vmovl_u16(vget_low_u16(eight)), out);
            out = write_four(vmovl_high_u16(eight), out);
        }
        return out;
    }

private:
    static uint16x8_t surrogates(uint16x8_t eight) {
        return vceqq_u16(vandq_u16(eight, vdupq_n_u16(0xF800)), vdupq_n_u16(0xD800));
    }
    // Computes the four bytes of each unit that packed_utf8.h describes.
    static u8* write_four(uint32x4_t wide, u8* out) {
        const uint32x4_t two = vcgtq_u32(wide, vdupq_n_u32(0x7F)), three = vcgtq_u32(wide, vdupq_n_u32(0x7FF));
        // Each insertion keeps the lower bytes.
        uint32x4_t fields = vsliq_n_u32(vshrq_n_u32(wide, 12), vshrq_n_u32(wide, 6), 8);
        fields = vsliq_n_u32(vsliq_n_u32(fields, wide, 16), wide, 24);
        const uint32x4_t prefixes = vbicq_u32(vdupq_n_u32(0x0080C0E0), vandq_u32(three, vdupq_n_u32(0x4000))),
                         bytes = vorrq_u32(vandq_u32(fields, vdupq_n_u32(0x7F3F3F0F)), prefixes);
        // One sum holds both: the index in the low eight bits, and above them its number of set bits.
        static constexpr u32 kTwo[] = {0x101, 0x102, 0x104, 0x108}, kThree[] = {0x110, 0x120, 0x140, 0x180};
        const u32 sum = vaddvq_u32(vaddq_u32(vandq_u32(two, vld1q_u32(kTwo)), vandq_u32(three, vld1q_u32(kThree))));
        const uint8x16_t shuffle = vld1q_u8(kPackedUtf8.shuffles[sum & 0xFF]);
        vst1q_u8(out, vqtbl1q_u8(vreinterpretq_u8_u32(bytes), shuffle));
        return out + 4 + (sum >> 8);
    }
};

}  // namespace crayon::CRAYON_KERNEL
