// The smallest number of each row (LeastFunction), four numbers at a time, the width that every instruction set with vectors has.
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

struct Numbers {
    using Vector = std::int32_t __attribute__((vector_size(16)));  // signed: more instruction sets can compare these
    static constexpr u32 kCount = 4;
    Vector v;

    static Numbers load(const u32* row) {
        Numbers numbers;
        std::memcpy(&numbers.v, row, sizeof(v));
        return numbers;
    }
};
inline Numbers lower(Numbers a, Numbers b) { return {b.v < a.v ? b.v : a.v}; }

template <u32 kLength>
inline u32 least_of(const u32* row) {
    constexpr u32 kWays = 4;  // in parallel
    Numbers lowest[kWays];
    for (u32 way = 0; way < kWays; ++way) lowest[way] = Numbers::load(row + way * Numbers::kCount);
    for (u32 at = kWays * Numbers::kCount; at < kLength; at += kWays * Numbers::kCount) {
        for (u32 way = 0; way < kWays; ++way) {
            lowest[way] = lower(lowest[way], Numbers::load(row + at + way * Numbers::kCount));
        }
    }
    const Numbers::Vector v = lower(lower(lowest[0], lowest[1]), lower(lowest[2], lowest[3])).v;
    const std::int32_t low = v[1] < v[0] ? v[1] : v[0], high = v[3] < v[2] ? v[3] : v[2];
    return static_cast<u32>(high < low ? high : low);
}

inline void least(const u32* const* rows, const u32* lengths, u32 count, u32* least) {
    for (u32 i = 0; i < count; ++i) {
        const u32 length = lengths[i];
        const u32* const row = rows[i];
        least[i] = length <= 16 ? least_of<16>(row) : length <= 32 ? least_of<32>(row) : least_of<64>(row);
    }
}

}  // namespace crayon::CRAYON_KERNEL
