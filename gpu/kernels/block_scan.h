// Prefix sums, and other scans, over the threads of a block: within warps by shuffling, then across warps.
#pragma once

#include "device/device.h"

namespace crayon::gpu {

inline constexpr u32 kMostWarps = 16;  // per block: 512 threads in warps of 32

struct Sum {
    CRAYON_ANYWHERE static u64 none() { return 0; }
    CRAYON_ANYWHERE static u64 join(u64 a, u64 b) { return a + b; }
};
struct Greatest {
    CRAYON_ANYWHERE static u64 none() { return 0; }
    CRAYON_ANYWHERE static u64 join(u64 a, u64 b) { return greatest(a, b); }
};

// Replaces each value with the join of all previous threads' values. At the end, `totals` has the join of all values at
// kMostWarps.
template <class Join, u32 kThreads, class Block>
CRAYON_KERNEL_CODE void exclusive_scan(Block& block, typename Block::template Values<u64>& values,
                                       Shared<u64, kMostWarps + 1>& totals) {
    static_assert(kThreads / 32 <= kMostWarps);
    const u32 warp_size = block.warp_size(), warps = (kThreads + warp_size - 1) / warp_size;
    typename Block::template Values<u64> inclusive(block), other(block);
    block.each([&](Thread& t) { inclusive[t] = values[t]; });
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
        block.shuffle_up(inclusive, distance, other);
        block.each([&](Thread& t) {
            if (t.lane >= distance) inclusive[t] = Join::join(other[t], inclusive[t]);
        });
    }
    block.shuffle_up(inclusive, 1, other);
    block.each([&](Thread& t) {
        if (t.lane == warp_size - 1 || t.index == kThreads - 1) t.store(totals, t.index / warp_size, inclusive[t]);
    });
    block.each([&](Thread& t) {
        u64 before = Join::none();
        for (u32 warp = 0; warp < t.index / warp_size; ++warp) before = Join::join(before, t.load(totals, warp));
        values[t] = t.lane == 0 ? before : Join::join(before, other[t]);
    });
    block.each([&](Thread& t) {
        if (t.index != 0) return;
        u64 total = Join::none();
        for (u32 warp = 0; warp < warps; ++warp) total = Join::join(total, t.load(totals, warp));
        t.store(totals, kMostWarps, total);
    });
}

}  // namespace crayon::gpu
