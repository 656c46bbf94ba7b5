// A set of byte values, with the operation double arrays need: XOR of every member with a byte.
#pragma once

#include <bit>

#include "base/integers.h"

namespace crayon {

struct ByteSet {
    u64 words[4] = {};

    static ByteSet all() { return {{~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}}}; }

    bool has(u32 byte) const { return (words[byte / 64] >> (byte % 64) & 1) != 0; }
    void add(u32 byte) { words[byte / 64] |= u64{1} << (byte % 64); }
    void remove(u32 byte) { words[byte / 64] &= ~(u64{1} << (byte % 64)); }
    bool empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
    u32 size() const {
        return static_cast<u32>(std::popcount(words[0]) + std::popcount(words[1]) + std::popcount(words[2]) +
                                std::popcount(words[3]));
    }
    // The set must not be empty.
    u32 least() const {
        u32 word = 0;
        while (words[word] == 0) ++word;
        return word * 64 + static_cast<u32>(std::countr_zero(words[word]));
    }
    void keep(const ByteSet& other) {
        for (u32 i = 0; i < 4; ++i) words[i] &= other.words[i];
    }
    void drop(const ByteSet& other) {
        for (u32 i = 0; i < 4; ++i) words[i] &= ~other.words[i];
    }

    // {x ^ byte : x in the set}. Bit k of `byte` swaps adjacent groups of 2^k members.
    ByteSet flipped(u32 byte) const {
        ByteSet result;
        for (u32 i = 0; i < 4; ++i) {
            u64 x = words[i ^ (byte >> 6)];
            if (byte & 1) x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
            if (byte & 2) x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
            if (byte & 4) x = (x & 0x0F0F0F0F0F0F0F0F) << 4 | (x >> 4 & 0x0F0F0F0F0F0F0F0F);
            if (byte & 8) x = (x & 0x00FF00FF00FF00FF) << 8 | (x >> 8 & 0x00FF00FF00FF00FF);
            if (byte & 16) x = (x & 0x0000FFFF0000FFFF) << 16 | (x >> 16 & 0x0000FFFF0000FFFF);
            if (byte & 32) x = x << 32 | x >> 32;
            result.words[i] = x;
        }
        return result;
    }
};

}  // namespace crayon
