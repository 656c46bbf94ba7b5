// Pieces that are a token as a whole, a thread for each; and lists of the others, by length, in the order of the text.
//
// Lookup, then a scan of its counts, then ListMisses. A list is not made by counting with atomics: the order of its pieces would
// be another each time.
#pragma once

#include "kernels/bpe_tables.h"
#include "kernels/pieces.h"
#include "kernels/scan_counts.h"

namespace crayon::gpu {

// Pieces of at most so many bytes are merged in the same way: by a thread each (merge_thread.h), or by a block each
// (merge_block.h).
inline constexpr u32 kThreadFew = 16, kThreadMost = 64, kBlockFew = 512, kBlockMost = kLongestPiece;
inline constexpr u32 kBins = 4;

inline constexpr u32 kLookupThreads = 256;

// One of 16 bits for the bin of each miss: their sum over a block has the number of each.
class Misses {
public:
    CRAYON_KERNEL_CODE static u32 bin_of(u64 length) {
        return length <= kThreadFew ? 0 : length <= kThreadMost ? 1 : length <= kBlockFew ? 2 : 3;
    }
    CRAYON_KERNEL_CODE static u64 one(u64 length) { return u64{1} << (kBits * bin_of(length)); }
    CRAYON_KERNEL_CODE static u32 of_bin(u64 counts, u32 bin) {
        return static_cast<u32>(counts >> (kBits * bin)) & ((1u << kBits) - 1);
    }

private:
    static constexpr u32 kBits = 16;
    static_assert(kBins * kBits <= 64 && kLookupThreads < 1u << kBits);
};

struct Lookup {
    static constexpr const char* kName = "lookup";
    static constexpr u32 kThreads = kLookupThreads;
    struct Args {
        BpeTables tables;
        Global<const u8> text;
        Pieces pieces;
        Global<u32> stage;   // of a piece that is a token: its id, at its first byte
        Global<u32> counts;  // 1, or 0 for a piece that is none
        Global<u32> misses;  // of each bin and block: `tiles` of them for the first bin, then the next
        u64 tiles;
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        typename Block::template Values<u64> misses(block);
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            misses[t] = 0;
            if (i >= a.pieces.count) return;
            const u64 begin = t.load(a.pieces.begins, i), length = t.load(a.pieces.begins, i + 1) - begin;
            const u32 id = a.tables.find(t, a.text, begin, static_cast<u32>(length));
            t.store(a.counts, i, id != kNone);
            if (id != kNone) {
                t.store(a.stage, begin, id);
            } else {
                misses[t] = Misses::one(length);
            }
        });
        exclusive_scan<Sum, kThreads>(block, misses, shared.totals);
        block.each([&](Thread& t) {
            if (t.index >= kBins) return;
            t.store(a.misses, t.index * a.tiles + block.index, Misses::of_bin(t.load(shared.totals, kMostWarps), t.index));
        });
    }
};

struct ListMisses {
    static constexpr const char* kName = "list_misses";
    static constexpr u32 kThreads = kLookupThreads;
    struct Args {
        Pieces pieces;
        Global<const u32> counts;
        Global<const u64> offsets;  // of the misses of each bin and block
        u64 tiles;
        Global<u64> list;  // bin after bin
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        typename Block::template Values<u64> before(block);
        typename Block::template Values<u32> bins(block);
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            bins[t] = kBins;
            before[t] = 0;
            if (i >= a.pieces.count || t.load(a.counts, i) != 0) return;
            const u64 length = t.load(a.pieces.begins, i + 1) - t.load(a.pieces.begins, i);
            bins[t] = Misses::bin_of(length);
            before[t] = Misses::one(length);
        });
        exclusive_scan<Sum, kThreads>(block, before, shared.totals);
        block.each([&](Thread& t) {
            if (bins[t] == kBins) return;
            const u64 index = t.load(a.offsets, bins[t] * a.tiles + block.index) + Misses::of_bin(before[t], bins[t]);
            t.store(a.list, index, block.index * kThreads + t.index);
        });
    }
};

}  // namespace crayon::gpu
