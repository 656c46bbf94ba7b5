// Sixty-four bytes in four WebAssembly vectors. See bytes64_scalar.h for the operations.
#pragma once

#include <wasm_simd128.h>

#include "base/integers.h"
#include "simd/units_simd128.h"

namespace crayon::CRAYON_KERNEL {

struct Lanes {
    static constexpr u32 kCount = 2;
    v128_t v;

    static Lanes load(const void* p) { return {wasm_v128_load(p)}; }
    void store(void* p) const { wasm_v128_store(p, v); }
    Lanes next(u32 multiplier, Lanes word) const {
        const v128_t low = wasm_i32x4_shuffle(v, v, 0, 2, 0, 2);
        const v128_t product = wasm_u64x2_extmul_low_u32x4(low, wasm_u32x4_splat(multiplier));
        return {wasm_i64x2_add(product, wasm_i64x2_add(wasm_u64x2_shr(v, 32), word.v))};
    }
};

struct Bytes64 {
    using Units = CRAYON_KERNEL::Units;
    v128_t v[4];

    static Bytes64 load(const u8* p) {
        return {{wasm_v128_load(p), wasm_v128_load(p + 16), wasm_v128_load(p + 32), wasm_v128_load(p + 48)}};
    }
    void store(u8* p) const {
        for (int i = 0; i < 4; ++i) wasm_v128_store(p + 16 * i, v[i]);
    }
    u64 equal(u8 c) const {
        const v128_t x = wasm_u8x16_splat(c);
        return each([x](v128_t b) { return wasm_i8x16_eq(b, x); });
    }
    u64 between(u8 lo, u8 hi) const {
        const v128_t low = wasm_u8x16_splat(lo), width = wasm_u8x16_splat(static_cast<u8>(hi - lo));
        return each([low, width](v128_t b) { return wasm_u8x16_le(wasm_i8x16_sub(b, low), width); });
    }
    Bytes64 with_bits(u8 m) const {
        const v128_t x = wasm_u8x16_splat(m);
        return {{wasm_v128_or(v[0], x), wasm_v128_or(v[1], x), wasm_v128_or(v[2], x), wasm_v128_or(v[3], x)}};
    }
    u64 any_bits(u8 m) const {
        const v128_t x = wasm_u8x16_splat(m);
        return ~each([x](v128_t b) { return wasm_i8x16_eq(wasm_v128_and(b, x), wasm_u8x16_splat(0)); });
    }
    u64 non_ascii() const {
        return each([](v128_t b) { return b; });
    }
    u64 members(u64 set) const {
        const v128_t bits = wasm_u64x2_const_splat(0x8040201008040201), eights = wasm_u64x2_splat(set),
                     seven = wasm_u8x16_const_splat(7);
        return each([bits, eights, seven](v128_t b) {
            // Shifting wider lanes and masking takes fewer instructions than shifting bytes.
            const v128_t eight = wasm_v128_and(wasm_u16x8_shr(b, 3), seven),
                         bit = wasm_i8x16_swizzle(bits, wasm_v128_and(b, seven));
            return wasm_i8x16_eq(wasm_v128_and(wasm_i8x16_swizzle(eights, eight), bit), bit);
        });
    }
    // Sixteen entries at a time: for all other bytes the swizzle yields zero.
    Bytes64 looked_up(const u8* table) const {
        Bytes64 result;
        for (v128_t& bytes : result.v) bytes = wasm_u8x16_const_splat(0);
        for (int row = 0; row < 8; ++row) {
            const v128_t entries = wasm_v128_load(table + 16 * row), high = wasm_u8x16_splat(static_cast<u8>(row << 4));
            for (int i = 0; i < 4; ++i) {
                result.v[i] = wasm_v128_or(result.v[i], wasm_i8x16_swizzle(entries, wasm_v128_xor(v[i], high)));
            }
        }
        return result;
    }
    u64 disjoint(const Bytes64& other) const {
        const auto mask = [&](int i) {
            const v128_t none = wasm_i8x16_eq(wasm_v128_and(v[i], other.v[i]), wasm_u8x16_const_splat(0));
            return static_cast<u32>(wasm_i8x16_bitmask(none));
        };
        return (mask(0) | mask(1) << 16) | u64{mask(2) | mask(3) << 16} << 32;
    }

private:
    template <class Answer>
    u64 each(Answer answer) const {
        const auto mask = [&](int i) { return static_cast<u32>(wasm_i8x16_bitmask(answer(v[i]))); };
        return (mask(0) | mask(1) << 16) | u64{mask(2) | mask(3) << 16} << 32;
    }
};

}  // namespace crayon::CRAYON_KERNEL
