// The blocks of a checksum (layout/checksum.h), over the lanes of one instruction set.
#pragma once

#include <utility>

#include "base/integers.h"
#include "crayon/layout/checksum.h"

namespace crayon {

// As many registers as every instruction set can keep beside its operands; more lanes take another pass over the bytes,
// which are in the L1 cache by then.
inline constexpr u32 kLaneRegisters = 8;

// `lanes`: kChecksumLanes lanes, updated in place. `bytes`: `count` blocks.
template <class Lanes>
void checksum_blocks(u64* lanes, const u8* bytes, size_t count) {
    constexpr u32 kPass =
        kLaneRegisters * Lanes::kCount < layout::kChecksumLanes ? kLaneRegisters * Lanes::kCount : layout::kChecksumLanes;
    // A fold expression spells out the registers: compilers keep an array accessed in a loop in memory.
    const auto pass = [&]<u32... i>(u64 * first, const u8* word, std::integer_sequence<u32, i...>) {
        Lanes lane[] = {Lanes::load(first + i * Lanes::kCount)...};
        for (size_t block = 0; block < count; ++block, word += layout::kChecksumBlock) {
            ((lane[i] = lane[i].next(layout::kChecksumMultiplier, Lanes::load(word + i * Lanes::kCount * 8))), ...);
        }
        (lane[i].store(first + i * Lanes::kCount), ...);
    };
    for (u32 first = 0; first < layout::kChecksumLanes; first += kPass) {
        pass(lanes + first, bytes + 8 * first, std::make_integer_sequence<u32, kPass / Lanes::kCount>());
    }
}

}  // namespace crayon
