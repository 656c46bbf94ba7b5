// Counts to offsets: offsets[i] is the sum of counts[0, i), plus a last one, the sum of all. Two levels: one block scans
// the sums of tiles, then each tile is scanned.
//
// Three kernels in sequence: SumTiles, ScanSums (one block), ScanTiles. Each count is read twice and each offset written
// once; exact to 64 bits.
#pragma once

#include "kernels/block_scan.h"

namespace crayon::gpu {

inline constexpr u32 kScanThreads = 256;
inline constexpr u32 kScanItems = 8;  // per thread
inline constexpr u32 kScanTile = kScanThreads * kScanItems;

template <class Join, class Count>
struct SumTiles {
    static constexpr const char* kName = "sum_tiles";
    static constexpr u32 kThreads = kScanThreads;
    struct Args {
        Global<const Count> counts;
        u64 count;
        Global<u64> sums;  // blocks_for(count, kScanTile)
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        typename Block::template Values<u64> sums(block);
        block.each([&](Thread& t) {
            u64 sum = Join::none();
            for (u32 item = 0; item < kScanItems; ++item) {
                const u64 i = block.index * kScanTile + item * kThreads + t.index;
                if (i < a.count) sum = Join::join(sum, t.load(a.counts, i));
            }
            sums[t] = sum;
        });
        exclusive_scan<Join, kThreads>(block, sums, shared.totals);
        block.each([&](Thread& t) {
            if (t.index == 0) t.store(a.sums, block.index, t.load(shared.totals, kMostWarps));
        });
    }
};

// In place, exclusive, plus the sum of all.
template <class Join>
struct ScanSums {
    static constexpr const char* kName = "scan_sums";
    static constexpr u32 kThreads = kScanThreads;
    struct Args {
        Global<u64> sums;  // count + 1
        u64 count;
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        u64 before = Join::none();
        typename Block::template Values<u64> values(block);
        for (u64 begin = 0; begin < a.count; begin += kThreads) {
            block.each(
                [&](Thread& t) { values[t] = begin + t.index < a.count ? t.load(a.sums, begin + t.index) : Join::none(); });
            exclusive_scan<Join, kThreads>(block, values, shared.totals);
            block.each([&](Thread& t) {
                if (begin + t.index < a.count) t.store(a.sums, begin + t.index, Join::join(before, values[t]));
            });
            before = Join::join(before, block.uniform(shared.totals, kMostWarps));
        }
        block.each([&](Thread& t) {
            if (t.index == 0) t.store(a.sums, a.count, before);
        });
    }
};

template <class Count>
struct ScanTiles {
    static constexpr const char* kName = "scan_tiles";
    static constexpr u32 kThreads = kScanThreads;
    struct Args {
        Global<const Count> counts;
        u64 count;
        Global<const u64> sums;  // scanned
        Global<u64> offsets;     // count + 1
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
        gpu::Shared<u64, kScanTile + kScanTile / kScanItems> tile;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 begin = block.index * kScanTile;
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < kScanTile; i += kThreads) {
                t.store(shared.tile, place(i), begin + i < a.count ? t.load(a.counts, begin + i) : 0);
            }
        });
        typename Block::template Values<u64> sums(block);
        block.each([&](Thread& t) {
            u64 sum = 0;
            for (u32 i = 0; i < kScanItems; ++i) sum += t.load(shared.tile, place(t.index * kScanItems + i));
            sums[t] = sum;
        });
        exclusive_scan<Sum, kThreads>(block, sums, shared.totals);
        block.each([&](Thread& t) {
            u64 sum = sums[t] + t.load(a.sums, block.index);
            for (u32 i = 0; i < kScanItems; ++i) {
                const u32 at = place(t.index * kScanItems + i);
                const u64 count = t.load(shared.tile, at);
                t.store(shared.tile, at, sum);
                sum += count;
            }
        });
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < kScanTile; i += kThreads) {
                if (begin + i < a.count) t.store(a.offsets, begin + i, t.load(shared.tile, place(i)));
            }
            if (t.index == 0 && begin + kScanTile >= a.count) {
                t.store(a.offsets, a.count, t.load(a.sums, blocks_for(a.count, kScanTile)));
            }
        });
    }

private:
    // Puts the items of adjacent threads in different banks.
    CRAYON_KERNEL_CODE static u32 place(u32 i) { return i + i / kScanItems; }
};

// The last i with offsets[i] <= value, in offsets[low, high]; offsets[low] <= value. Of equal ones, the last: empty ranges
// are skipped.
template <class Offsets>
CRAYON_KERNEL_CODE u64 range_of(const Thread& t, const Offsets& offsets, u64 low, u64 high, u64 value) {
    while (low < high) {
        const u64 middle = low + (high - low + 1) / 2;
        if (t.load(offsets, static_cast<typename Offsets::Index>(middle)) <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

}  // namespace crayon::gpu
