// Sixty-four bytes as eight 64-bit words, for the kernel without vector instructions.
//
// The Bytes64 of every kernel has the same few operations; masks have bit i for byte i.
//   load(p)          reads p[0, 64), any alignment
//   store(p)         writes p[0, 64), any alignment
//   equal(c)         bytes equal to c
//   between(lo, hi)  bytes in lo…hi, unsigned, inclusive
//   with_bits(m)     the bytes with the bits of m set
//   any_bits(m)      bytes that have at least one bit of m
//   non_ascii()      bytes of 0x80 and more
//
// These are optional, for kernels where they are faster than single bytes and bits; this kernel has none:
//   members(set)     bytes whose low six bits are the number of a set bit of `set`: for scan/pages.h
//   looked_up(table), disjoint(other)
//                    table[b] for every ASCII byte b, unspecified for the others; the bytes that share no bit with the
//                    corresponding bytes of `other`: for scan/unjoined.h
//   write_positions(mask, base, out)    see scan/block.h
//   Units            sixteen units of UTF-16: see kernels/transcode.h
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

// 64-bit lanes, for the checksum (kernels/checks.h): the same operations in every kernel, over registers.
struct Lanes {
    static constexpr u32 kCount = 1;
    u64 v;

    static Lanes load(const void* p) {
        Lanes lanes;
        std::memcpy(&lanes.v, p, 8);
        return lanes;
    }
    void store(void* p) const { std::memcpy(p, &v, 8); }
    // The lower half times the multiplier, plus the upper half, plus the word.
    Lanes next(u32 multiplier, Lanes word) const { return {u64{static_cast<u32>(v)} * multiplier + ((v >> 32) + word.v)}; }
};

struct Bytes64 {
    u64 words[8];

    static Bytes64 load(const u8* p) {
        Bytes64 bytes;
        std::memcpy(bytes.words, p, 64);
        return bytes;
    }
    void store(u8* p) const { std::memcpy(p, words, 64); }
    u64 equal(u8 c) const {
        return each([c](u64 w) { return ~nonzero(w ^ kOnes * c); });
    }
    u64 between(u8 lo, u8 hi) const {
        return each([lo, hi](u64 w) { return at_least(w, lo) & ~(hi == 255 ? 0 : at_least(w, static_cast<u8>(hi + 1))); });
    }
    Bytes64 with_bits(u8 m) const {
        Bytes64 result;
        for (int i = 0; i < 8; ++i) result.words[i] = words[i] | kOnes * m;
        return result;
    }
    u64 any_bits(u8 m) const {
        return each([m](u64 w) { return nonzero(w & kOnes * m); });
    }
    u64 non_ascii() const {
        return each([](u64 w) { return w; });
    }

private:
    static constexpr u64 kOnes = 0x0101010101010101;
    static constexpr u64 kHigh = 0x8080808080808080;

    // The results below are in the high bit of each byte; the other bits are noise.
    static u64 nonzero(u64 w) { return ((w & ~kHigh) + ~kHigh) | w; }
    static u64 at_least(u64 w, u8 c) {
        if (c == 0) return kHigh;
        u64 low = (w & ~kHigh) + kOnes * (128 - (c & 127));  // carries into bit 7 iff the low seven bits reach c's
        return (c & 128) ? (w & low) : (w | ((c & 127) ? low : kHigh));
    }
    template <class Answer>
    u64 each(Answer answer) const {
        u64 mask = 0;
        for (int i = 0; i < 8; ++i) {
            // Collects the eight high bits: the multiplication adds each of them to its own bit of the top byte.
            mask |= (((answer(words[i]) & kHigh) >> 7) * 0x0102040810204080 >> 56) << (8 * i);
        }
        return mask;
    }
};

}  // namespace crayon::CRAYON_KERNEL
