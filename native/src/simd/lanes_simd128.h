// Two lanes in a WebAssembly vector. See lanes_scalar.h for the operations.
#pragma once

#include <wasm_simd128.h>

#include "base/integers.h"

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

}  // namespace crayon::CRAYON_KERNEL
