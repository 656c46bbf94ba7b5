// Sixteen bases in a NEON register. See bases_scalar.h for the operations.
#pragma once

#include <arm_neon.h>

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 16, kEqualBits = 4;
    uint8x16_t v;

    struct Letters {
        uint8x16x4_t entries;
    };
    static Letters letters(const ByteMap& map) { return {vld1q_u8_x4(map.letters)}; }
    static Bases load(const u8* p) { return {vld1q_u8(p)}; }
    // A lookup past the table yields zero.
    Bases looked_up(const Letters& letters) const { return {vqtbl4q_u8(letters.entries, vsubq_u8(v, vdupq_n_u8(64)))}; }
    bool are_letters() const { return vmaxvq_u8(vsubq_u8(v, vdupq_n_u8(64))) < 64; }
    Bases flipped(u8 bits) const { return {veorq_u8(v, vdupq_n_u8(bits))}; }
    bool has(u8 c) const { return vmaxvq_u8(vceqq_u8(v, vdupq_n_u8(c))) != 0; }
    u64 equal(u8 c) const {
        const uint8x8_t halves = vshrn_n_u16(vreinterpretq_u16_u8(vceqq_u8(v, vdupq_n_u8(c))), 4);
        return vget_lane_u64(vreinterpret_u64_u8(halves), 0);
    }
    Bases reversed() const {
        const uint8x16_t halves = vrev64q_u8(v);
        return {vextq_u8(halves, halves, 8)};
    }

    template <class Id>
    void store_as(u8* p) const {
        if constexpr (sizeof(Id) == 1) {
            vst1q_u8(p, v);
        } else {
            store_wider<Id>(vmovl_u8(vget_low_u8(v)), p);
            store_wider<Id>(vmovl_high_u8(v), p + 8 * sizeof(Id));
        }
    }
    template <bool kHighFirst>
    void store_packed(u8* p) const {
        // Brings two bytes of each pair together, then two pairs: shift one of them and insert the other.
        const uint16x8_t x = vreinterpretq_u16_u8(v);
        const uint16x8_t pairs = kHighFirst ? vorrq_u16(vshlq_n_u16(x, 2), vshrq_n_u16(x, 8)) : vorrq_u16(x, vshrq_n_u16(x, 6));
        const uint32x4_t y = vreinterpretq_u32_u16(vandq_u16(pairs, vdupq_n_u16(0x0F)));
        const uint32x4_t fours = kHighFirst ? vorrq_u32(vshlq_n_u32(y, 4), vshrq_n_u32(y, 16)) : vorrq_u32(y, vshrq_n_u32(y, 12));
        const uint8x8_t bytes = vmovn_u16(vcombine_u16(vmovn_u32(fours), vdup_n_u16(0)));
        const u32 packed = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
        __builtin_memcpy(p, &packed, 4);
    }

private:
    // Eight numbers of 16 bits.
    template <class Id>
    static void store_wider(uint16x8_t x, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            vst1q_u8(p, vreinterpretq_u8_u16(x));
        } else {
            const uint32x4_t low = vmovl_u16(vget_low_u16(x)), high = vmovl_high_u16(x);
            if constexpr (sizeof(Id) == 4) {
                vst1q_u8(p, vreinterpretq_u8_u32(low));
                vst1q_u8(p + 16, vreinterpretq_u8_u32(high));
            } else {
                vst1q_u8(p, vreinterpretq_u8_u64(vmovl_u32(vget_low_u32(low))));
                vst1q_u8(p + 16, vreinterpretq_u8_u64(vmovl_high_u32(low)));
                vst1q_u8(p + 32, vreinterpretq_u8_u64(vmovl_u32(vget_low_u32(high))));
                vst1q_u8(p + 48, vreinterpretq_u8_u64(vmovl_high_u32(high)));
            }
        }
    }
};

// Four k-mers.
struct KmerLanes {
    static constexpr u32 kCount = 4;
    uint8x16_t indices;
    uint32x4_t first;
    int32x4_t shifts, unused;

    explicit KmerLanes(const KmerNumbers& kmers) {
        indices = vld1q_u8(kmers.byte_indices);
        shifts = vreinterpretq_s32_u32(vld1q_u32(kmers.shifts));
        unused = vdupq_n_s32(static_cast<int>(2 * kmers.k) - 32);
        first = vdupq_n_u32(kmers.first);
    }
    uint32x4_t indexes(const u8* packed) const {
        const uint32x4_t bits = vreinterpretq_u32_u8(vqtbl1q_u8(vld1q_u8(packed), indices));
        return vshlq_u32(vshlq_u32(bits, shifts), unused);
    }
    uint32x4_t with_first(uint32x4_t indexes) const { return vaddq_u32(indexes, first); }
    static uint32x4_t load(const u32* ids) { return vld1q_u32(ids); }
    template <class Id>
    static void store_as(uint32x4_t ids, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            vst1_u8(p, vreinterpret_u8_u16(vmovn_u32(ids)));
        } else if constexpr (sizeof(Id) == 4) {
            vst1q_u8(p, vreinterpretq_u8_u32(ids));
        } else {
            vst1q_u8(p, vreinterpretq_u8_u64(vmovl_u32(vget_low_u32(ids))));
            vst1q_u8(p + 16, vreinterpretq_u8_u64(vmovl_high_u32(ids)));
        }
    }
};

}  // namespace crayon::CRAYON_KERNEL
