// Widens a matrix's mask from bytes to elements as large as its ids, the form models expect.
#pragma once

#include "kernels/scan_counts.h"

namespace crayon::gpu {

template <class Id>
struct WidenMask {
    static constexpr const char* kName = sizeof(Id) == 2 ? "widen_mask16" : sizeof(Id) == 4 ? "widen_mask32" : "widen_mask64";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kItemsPerThread = 4;
    static constexpr u32 kTile = kThreads * kItemsPerThread;
    struct Args {
        Global<const u8> mask;
        u64 count;
        Global<Id> wide;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            for (u32 item = 0; item < kItemsPerThread; ++item) {
                const u64 i = block.index * kTile + item * kThreads + t.index;
                if (i >= a.count) return;
                t.store(a.wide, i, static_cast<Id>(t.load(a.mask, i)));
            }
        });
    }
};

}  // namespace crayon::gpu
