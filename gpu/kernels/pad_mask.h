// Packed rows to a matrix of equal rows: adds the ids before and after each row, truncates or pads to fit, and writes the mask.
//
// Adjacent threads have adjacent elements: loads and stores of a warp are ranges of memory.
#pragma once

#include "kernels/scan_counts.h"

namespace crayon::gpu {

template <class Id>
struct PadMask {
    static constexpr const char* kName = sizeof(Id) == 8 ? "pad_mask64" : "pad_mask";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kItemsPerThread = 4;
    static constexpr u32 kTile = kThreads * kItemsPerThread;
    struct Args {
        Global<const Id> ids;
        Global<const u64> row_offsets;
        u64 rows, columns;
        Id pad_id;
        u32 is_left;
        u32 before_count, after_count;
        Global<const u32> around;  // before, then after
        Global<Id> matrix;
        Global<u8> mask;       // or null
        Global<u64> too_long;  // the first row that was cut
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            // One 64-bit division, which is a loop on most devices, for all items.
            const u64 first = block.index * kTile, first_row = first / a.columns, first_column = first % a.columns;
            const bool is_short = a.columns < u64{1} << 31;
            for (u32 item = 0; item < kItemsPerThread; ++item) {
                const u32 after = item * kThreads + t.index;
                const u64 i = first + after;
                if (i >= a.rows * a.columns) return;
                u64 row, column;
                if (is_short) {
                    const u32 at = static_cast<u32>(first_column) + after, columns = static_cast<u32>(a.columns);
                    row = first_row + at / columns;
                    column = at % columns;
                } else {
                    row = i / a.columns;
                    column = i % a.columns;
                }
                const u64 from = t.load(a.row_offsets, row), length = t.load(a.row_offsets, row + 1) - from;
                const u64 capacity = a.columns - a.before_count - a.after_count;
                const u64 used = least(length, capacity), whole = a.before_count + used + a.after_count;
                if (length > capacity && column == 0) t.atomic_min(a.too_long, 0, row);
                const u64 skipped = a.is_left ? a.columns - whole : 0;
                const bool is_padding = column < skipped || column - skipped >= whole;
                const u64 index = column - skipped;
                Id id = a.pad_id;
                if (!is_padding) {
                    if (index < a.before_count) {
                        id = static_cast<Id>(t.load(a.around, index));
                    } else if (index < a.before_count + used) {
                        id = t.load(a.ids, from + (index - a.before_count));
                    } else {
                        id = static_cast<Id>(t.load(a.around, index - used));
                    }
                }
                t.store(a.matrix, i, id);
                if (a.mask) t.store(a.mask, i, static_cast<u8>(!is_padding));
            }
        });
    }
};

// Widens a matrix's mask from bytes to elements as large as its ids, the form models expect.
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
