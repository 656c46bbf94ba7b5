// Maps each byte to an id by a table, in 1, 2, 4 or 8 bytes.
//
// A thread stores 16 bytes at a time, and loads one byte per id; the next thread has the next ones. So every request of a
// warp is one range of memory. Documents do not matter, except for first bytes with special ids.
#pragma once

#include "kernels/scan_counts.h"

namespace crayon::gpu {

template <class Id>
struct Lut {
    static constexpr const char* kName = sizeof(Id) == 1   ? "lut8"
                                         : sizeof(Id) == 2 ? "lut16"
                                         : sizeof(Id) == 4 ? "lut32"
                                                           : "lut64";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kIds = Sixteen<Id>::kCount;
    static constexpr u32 kItemsPerThread = 4;
    static constexpr u32 kTile = kThreads * kIds * kItemsPerThread;
    struct Args {
        Global<const u8> text;  // aligned to 16
        u64 length;
        Global<const u32> table;    // 256, kNone: an error
        Global<Id> ids;             // aligned to 16
        Global<u64> failure;        // the first position of a byte without an id
        Global<const u64> offsets;  // of documents, document_count + 1, if LutStarts follows; or null
        u64 document_count;
    };
    struct Shared {
        gpu::Shared<u32, 256> table;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < 256; i += kThreads) t.store(shared.table, i, t.load(a.table, i));
        });
        block.each([&](Thread& t) {
            u64 failure = kNowhere;
            const auto id_of = [&](u32 byte, u64 i) {
                const u32 id = t.load(shared.table, byte);
                if (id == kNone && !is_start(t, a, i)) failure = least(failure, i);
                return id;
            };
            const u64 begin = block.index * kTile + t.index * kIds;
            if (block.index * kTile + kTile <= a.length) {
                // All loads first: a device cannot know that the stores do not change their source.
                Packed<kIds> bytes[kItemsPerThread];
                CRAYON_UNROLL for (u32 item = 0; item < kItemsPerThread; ++item) {
                    bytes[item] = t.template load_as<Packed<kIds>>(a.text, begin + item * kThreads * kIds);
                }
                CRAYON_UNROLL for (u32 item = 0; item < kItemsPerThread; ++item) {
                    const u64 i = begin + item * kThreads * kIds;
                    Sixteen<Id> ids;
                    CRAYON_UNROLL for (u32 k = 0; k < kIds; ++k) ids.set(k, id_of(bytes[item].byte(k), i + k));
                    t.store_as(a.ids, i, ids);
                }
            } else {
                for (u64 i = block.index * kTile + t.index; i < a.length; i += kThreads) {
                    t.store(a.ids, i, static_cast<Id>(id_of(t.load(a.text, i), i)));
                }
            }
            if (failure != kNowhere) t.atomic_min(a.failure, 0, failure);
        });
    }

private:
    // Whether another kernel handles the byte. Only asked for bytes without an id.
    CRAYON_KERNEL_CODE static bool is_start(const Thread& t, const Args& a, u64 i) {
        return a.offsets && t.load(a.offsets, range_of(t, a.offsets, 0, a.document_count, i)) == i;
    }
};

// Overwrites Lut's result for the first byte of each document, from a separate table.
template <class Id>
struct LutStarts {
    static constexpr const char* kName = "lut_starts";
    static constexpr u32 kThreads = 256;
    struct Args {
        Global<const u8> text;
        Global<const u64> offsets;  // document_count + 1
        u64 document_count;
        Global<const u32> table;
        Global<Id> ids;
        Global<u64> failure;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 document = block.index * kThreads + t.index;
            if (document >= a.document_count) return;
            const u64 begin = t.load(a.offsets, document);
            if (begin == t.load(a.offsets, document + 1)) return;
            const u32 id = t.load(a.table, t.load(a.text, begin));
            if (id == kNone) t.atomic_min(a.failure, 0, begin);
            t.store(a.ids, begin, static_cast<Id>(id));
        });
    }
};

}  // namespace crayon::gpu
