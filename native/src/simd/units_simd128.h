// Sixteen UTF-16 units in two WebAssembly vectors. See transcode.h for the operations.
#pragma once

#include <wasm_simd128.h>

#include <bit>

#include "base/integers.h"
#include "simd/packed_utf8.h"

namespace crayon::CRAYON_KERNEL {

struct Units {
    v128_t v[2];

    static Units load(const u16* p) { return {{wasm_v128_load(p), wasm_v128_load(p + 8)}}; }
    bool ascii() const { return !wasm_v128_any_true(wasm_v128_and(wasm_v128_or(v[0], v[1]), wasm_u16x8_const_splat(0xFF80))); }
    void narrow(u8* out) const { wasm_v128_store(out, wasm_u8x16_narrow_i16x8(v[0], v[1])); }
    bool surrogates() const { return wasm_v128_any_true(wasm_v128_or(surrogates(v[0]), surrogates(v[1]))); }
    u8* write(u8* out) const {
        for (const v128_t& eight : v) {
            out = write_four(wasm_u32x4_extend_low_u16x8(eight), out);
            out = write_four(wasm_u32x4_extend_high_u16x8(eight), out);
        }
        return out;
    }

private:
    static v128_t surrogates(v128_t eight) {
        const v128_t high = wasm_v128_and(eight, wasm_u16x8_const_splat(0xF800));
        return wasm_i16x8_eq(high, wasm_u16x8_const_splat(0xD800));
    }
    // Computes the four bytes of each unit that packed_utf8.h describes.
    static u8* write_four(v128_t wide, u8* out) {
        const v128_t two = wasm_i32x4_gt(wide, wasm_u32x4_const_splat(0x7F)),
                     three = wasm_i32x4_gt(wide, wasm_u32x4_const_splat(0x7FF));
        const v128_t first = wasm_u32x4_shr(wide, 12),
                     second = wasm_v128_and(wasm_i32x4_shl(wide, 2), wasm_u32x4_const_splat(0x3F00)),
                     third = wasm_v128_and(wasm_i32x4_shl(wide, 16), wasm_u32x4_const_splat(0x3F0000)),
                     ascii = wasm_i32x4_shl(wide, 24);
        const v128_t second_of_three = wasm_v128_and(three, wasm_u32x4_const_splat(0x4000)),
                     prefixes = wasm_v128_andnot(wasm_u32x4_const_splat(0x0080C0E0), second_of_three);
        const v128_t bytes = wasm_v128_or(wasm_v128_or(wasm_v128_or(first, second), wasm_v128_or(third, ascii)), prefixes);
        const u32 lengths = static_cast<u32>(wasm_i32x4_bitmask(two)) | static_cast<u32>(wasm_i32x4_bitmask(three)) << 4;
        wasm_v128_store(out, wasm_i8x16_swizzle(bytes, wasm_v128_load(kPackedUtf8.shuffles[lengths])));
        return out + 4 + std::popcount(lengths);
    }
};

}  // namespace crayon::CRAYON_KERNEL
