// Sixteen bases in a WebAssembly vector. See bases_scalar.h for the operations.
#pragma once

#include <wasm_simd128.h>

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 16, kEqualBits = 1;
    v128_t v;

    struct Letters {
        v128_t rows[4];
        bool has_lower_case;
    };
    static Letters letters(const ByteMap& map) {
        return {{wasm_v128_load(map.letters), wasm_v128_load(map.letters + 16), wasm_v128_load(map.letters + 32),
                 wasm_v128_load(map.letters + 48)},
                map.has_lower_case};
    }
    static Bases load(const u8* p) { return {wasm_v128_load(p)}; }
    // Sixteen entries at a time: for all other bytes the swizzle yields zero. Often there is no lower case.
    Bases looked_up(const Letters& letters) const {
        const auto entries = [&](int row) {
            const v128_t first = wasm_u8x16_splat(static_cast<u8>(64 + 16 * row));
            return wasm_i8x16_swizzle(letters.rows[row], wasm_v128_xor(v, first));
        };
        const v128_t upper = wasm_v128_or(entries(0), entries(1));
        return {letters.has_lower_case ? wasm_v128_or(upper, wasm_v128_or(entries(2), entries(3))) : upper};
    }
    bool are_letters() const {
        const v128_t top = wasm_v128_and(v, wasm_u8x16_const_splat(0xC0));
        return wasm_i8x16_all_true(wasm_i8x16_eq(top, wasm_u8x16_const_splat(64)));
    }
    Bases flipped(u8 bits) const { return {wasm_v128_xor(v, wasm_u8x16_splat(bits))}; }
    bool has(u8 c) const { return wasm_v128_any_true(wasm_i8x16_eq(v, wasm_u8x16_splat(c))); }
    u64 equal(u8 c) const { return wasm_i8x16_bitmask(wasm_i8x16_eq(v, wasm_u8x16_splat(c))); }
    Bases reversed() const { return {wasm_i8x16_shuffle(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)}; }

    template <class Id>
    void store_as(u8* p) const {
        if constexpr (sizeof(Id) == 1) {
            wasm_v128_store(p, v);
        } else {
            store_wider<Id>(wasm_u16x8_extend_low_u8x16(v), p);
            store_wider<Id>(wasm_u16x8_extend_high_u8x16(v), p + 8 * sizeof(Id));
        }
    }
    template <bool kHighFirst>
    void store_packed(u8* p) const {
        // Brings two bytes of each pair together, then two pairs.
        const v128_t pairs = wasm_v128_and(
            kHighFirst ? wasm_v128_or(wasm_i16x8_shl(v, 2), wasm_u16x8_shr(v, 8)) : wasm_v128_or(v, wasm_u16x8_shr(v, 6)),
            wasm_u16x8_const_splat(0x0F));
        const v128_t fours = kHighFirst ? wasm_v128_or(wasm_i32x4_shl(pairs, 4), wasm_u32x4_shr(pairs, 16))
                                        : wasm_v128_or(pairs, wasm_u32x4_shr(pairs, 12));
        wasm_v128_store32_lane(p, wasm_i8x16_shuffle(fours, fours, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12), 0);
    }

private:
    // Eight numbers of 16 bits.
    template <class Id>
    static void store_wider(v128_t x, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            wasm_v128_store(p, x);
        } else {
            const v128_t low = wasm_u32x4_extend_low_u16x8(x), high = wasm_u32x4_extend_high_u16x8(x);
            if constexpr (sizeof(Id) == 4) {
                wasm_v128_store(p, low);
                wasm_v128_store(p + 16, high);
            } else {
                wasm_v128_store(p, wasm_u64x2_extend_low_u32x4(low));
                wasm_v128_store(p + 16, wasm_u64x2_extend_high_u32x4(low));
                wasm_v128_store(p + 32, wasm_u64x2_extend_low_u32x4(high));
                wasm_v128_store(p + 48, wasm_u64x2_extend_high_u32x4(high));
            }
        }
    }
};

// Four k-mers. Per-lane shifts do not exist, so multiplications are used.
struct KmerLanes {
    static constexpr u32 kCount = 4;
    v128_t indices, factors, first;
    u32 unused;

    explicit KmerLanes(const KmerNumbers& kmers) {
        indices = wasm_v128_load(kmers.byte_indices);
        factors = wasm_u32x4_make(1u << kmers.shifts[0], 1u << kmers.shifts[1], 1u << kmers.shifts[2], 1u << kmers.shifts[3]);
        first = wasm_u32x4_splat(kmers.first);
        unused = 32 - 2 * kmers.k;
    }
    v128_t indexes(const u8* packed) const {
        return wasm_u32x4_shr(wasm_i32x4_mul(wasm_i8x16_swizzle(wasm_v128_load(packed), indices), factors), unused);
    }
    v128_t with_first(v128_t indexes) const { return wasm_i32x4_add(indexes, first); }
    static v128_t load(const u32* ids) { return wasm_v128_load(ids); }
    template <class Id>
    static void store_as(v128_t ids, u8* p) {
        if constexpr (sizeof(Id) == 2) {
            wasm_v128_store64_lane(p, wasm_u16x8_narrow_i32x4(ids, ids), 0);
        } else if constexpr (sizeof(Id) == 4) {
            wasm_v128_store(p, ids);
        } else {
            wasm_v128_store(p, wasm_u64x2_extend_low_u32x4(ids));
            wasm_v128_store(p + 16, wasm_u64x2_extend_high_u32x4(ids));
        }
    }
};

}  // namespace crayon::CRAYON_KERNEL
