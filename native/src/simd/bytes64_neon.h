// Sixty-four bytes in four NEON registers, interleaved: byte 4j + k is lane j of v.val[k]. See bytes64_scalar.h for the
// operations.
//
// NEON lacks an instruction that collects one bit of each lane. With interleaving, four adjacent bits of a mask are in the
// same lane of the four registers, and shift-and-insert (which keeps the upper bits of the target) combines them: five
// instructions for a mask, where bytes in order need eight.
//
//   bits of a lane      7 6 5 4 3 2 1 0      a b c d: the results for bytes 4j … 4j + 3; the other bits are noise
//   v.val[0] into [1]   b a . . . . . .
//   both pairs          d c b a . . . .
//   that into itself    d c b a d c b a
//
// The mask is then the upper half of each even lane and, above it, the lower half of the odd lane after it: a narrowing
// shift.
#pragma once

#include <arm_neon.h>

#include "base/integers.h"
#include "simd/units_neon.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 2;
    uint64x2_t v;

    static Lanes load(const void* p) { return {vreinterpretq_u64_u8(vld1q_u8(static_cast<const u8*>(p)))}; }
    void store(void* p) const { vst1q_u8(static_cast<u8*>(p), vreinterpretq_u8_u64(v)); }
    Lanes next(u32 multiplier, Lanes word) const {
        return {vmlal_u32(vsraq_n_u64(word.v, v, 32), vmovn_u64(v), vdup_n_u32(multiplier))};
    }
};

struct Bytes64 {
    using Units = CRAYON_KERNEL::Units;
    uint8x16x4_t v;

    static Bytes64 load(const u8* p) { return {vld4q_u8(p)}; }
    void store(u8* p) const { vst4q_u8(p, v); }
    u64 equal(u8 c) const {
        const uint8x16_t x = vdupq_n_u8(c);
        return each([x](uint8x16_t b) { return vceqq_u8(b, x); });
    }
    u64 between(u8 lo, u8 hi) const {
        const uint8x16_t low = vdupq_n_u8(lo), width = vdupq_n_u8(static_cast<u8>(hi - lo));
        return each([low, width](uint8x16_t b) { return vcleq_u8(vsubq_u8(b, low), width); });
    }
    Bytes64 with_bits(u8 m) const {
        const uint8x16_t x = vdupq_n_u8(m);
        return {{{vorrq_u8(v.val[0], x), vorrq_u8(v.val[1], x), vorrq_u8(v.val[2], x), vorrq_u8(v.val[3], x)}}};
    }
    u64 any_bits(u8 m) const {
        const uint8x16_t x = vdupq_n_u8(m);
        return each([x](uint8x16_t b) { return vtstq_u8(b, x); });
    }
    u64 non_ascii() const {
        return each([](uint8x16_t b) { return b; });
    }
    u64 members(u64 set) const {
        const uint8x16_t eights = vcombine_u8(vcreate_u8(set), vcreate_u8(0)), one = vdupq_n_u8(1), seven = vdupq_n_u8(7);
        return each([eights, one, seven](uint8x16_t b) {
            const uint8x16_t eight = vqtbl1q_u8(eights, vandq_u8(vshrq_n_u8(b, 3), seven)),
                             bit = vshlq_u8(one, vreinterpretq_s8_u8(vandq_u8(b, seven)));
            return vtstq_u8(eight, bit);
        });
    }
    // Two tables of 64 entries: each yields zero for the other's bytes.
    Bytes64 looked_up(const u8* table) const {
        const uint8x16x4_t low = vld1q_u8_x4(table), high = vld1q_u8_x4(table + 64);
        const uint8x16_t half = vdupq_n_u8(64);
        const auto entry = [&](uint8x16_t b) { return vorrq_u8(vqtbl4q_u8(low, b), vqtbl4q_u8(high, vsubq_u8(b, half))); };
        return {{{entry(v.val[0]), entry(v.val[1]), entry(v.val[2]), entry(v.val[3])}}};
    }
    u64 disjoint(const Bytes64& other) const {
        const Bytes64 shared = {{{vandq_u8(v.val[0], other.v.val[0]), vandq_u8(v.val[1], other.v.val[1]),
                                  vandq_u8(v.val[2], other.v.val[2]), vandq_u8(v.val[3], other.v.val[3])}}};
        return shared.equal(0);
    }

private:
    // The result for a byte is the high bit of its lane.
    template <class Answer>
    u64 each(Answer answer) const {
        const uint8x16_t low_pair = vsriq_n_u8(answer(v.val[1]), answer(v.val[0]), 1),
                         high_pair = vsriq_n_u8(answer(v.val[3]), answer(v.val[2]), 1), four = vsriq_n_u8(high_pair, low_pair, 2),
                         twice = vsriq_n_u8(four, four, 4);
        return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(twice), 4)), 0);
    }
};

}  // namespace crayon::CRAYON_KERNEL
