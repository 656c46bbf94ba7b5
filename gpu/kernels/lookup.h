// Looks up pieces that are a token as a whole, one thread per piece; and lists the others, by length. A list has no
// particular order.
#pragma once

#include "kernels/automaton.h"
#include "kernels/bpe_tables.h"

namespace crayon::gpu {

// Pieces are binned by maximum length and merged per bin: by a thread each (merge_thread.h), or by a block each
// (merge_block.h).
inline constexpr u32 kBins = 6;
inline constexpr u32 kThreadFew = 16, kThreadSome = 32, kThreadMost = 64, kBlockFew = 128, kBlockSome = 512,
                     kBlockMost = kLongestPiece;

CRAYON_ANYWHERE u32 bin_of(u64 length) {
    return (length > kThreadFew) + (length > kThreadSome) + (length > kThreadMost) + (length > kBlockFew) + (length > kBlockSome);
}
// The length of the shortest pieces of a bin.
CRAYON_ANYWHERE u64 shortest_of(u32 bin) {
    const u32 before[kBins] = {1, kThreadFew, kThreadSome, kThreadMost, kBlockFew, kBlockSome};
    return before[bin] + 1;
}

struct Lookup {
    static constexpr const char* kName = "lookup";
    static constexpr u32 kThreads = 256;
    struct Args {
        BpeTables tables;
        Global<const u8> text;
        Pieces pieces;
        Global<u32> alone;   // the id of a piece that is a token
        Global<u32> counts;  // 1, or 0 for a piece that is not a token
        Global<u64> list;    // of the others, bin after bin
        u64 list_begins[kBins];
        Global<u64> list_counts;  // per bin; 0 at first
        Global<u64> failure;      // the first piece that is too long to be merged; null: none is
    };
    struct Shared {
        gpu::Shared<u32, kBins> counts;
        gpu::Shared<u64, kBins> begins;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        typename Block::template Values<u32> bins(block), places(block);
        block.each([&](Thread& t) {
            if (t.index < kBins) t.store(shared.counts, t.index, 0);
        });
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            bins[t] = kBins;
            if (i >= a.pieces.count) return;
            const u64 begin = t.load(a.pieces.begins, i), length = t.load(a.pieces.begins, i + 1) - begin;
            const bool is_too_long = a.failure && length > kLongestPiece;
            if (is_too_long) t.atomic_min(a.failure, 0, begin);
            u32 id = kNone;
            if (!is_too_long) {
                id = a.tables.whole ? a.tables.find_uncut(t, a.text, begin, static_cast<u32>(length))
                                    : a.tables.find(t, a.text, begin, static_cast<u32>(length));
            }
            t.store(a.counts, i, id != kNone);
            if (is_too_long) return;
            if (id != kNone) {
                t.store(a.alone, i, id);
            } else {
                bins[t] = bin_of(length);
                places[t] = t.atomic_add(shared.counts, bins[t], 1);
            }
        });
        block.each([&](Thread& t) {
            if (t.index >= kBins) return;
            const u32 count = t.load(shared.counts, t.index);
            if (count > 0) t.store(shared.begins, t.index, t.atomic_add(a.list_counts, t.index, count));
        });
        block.each([&](Thread& t) {
            const u32 bin = bins[t];
            if (bin == kBins) return;
            t.store(a.list, a.list_begins[bin] + t.load(shared.begins, bin) + places[t], block.index * kThreads + t.index);
        });
    }
};

// Gathers the ids of pieces in sequence, one thread per piece. Some have none.
template <class Id>
struct EmitPieces {
    static constexpr const char* kName = "emit_pieces";
    static constexpr u32 kThreads = 256;
    struct Args {
        Pieces pieces;
        Global<const u64> id_offsets;  // per piece, plus one
        Global<const u32> alone;       // the id of a piece with only one
        Global<const u32> stage;       // the ids of others, from the offset of their first byte on
        Global<Id> ids;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i >= a.pieces.count) return;
            const u64 offset = t.load(a.id_offsets, i);
            const u32 count = static_cast<u32>(t.load(a.id_offsets, i + 1) - offset);
            if (count == 0) return;
            t.store(a.ids, offset, static_cast<Id>(t.load(a.alone, i)));
            if (count == 1) return;
            const u64 begin = t.load(a.pieces.begins, i);
            for (u32 k = 1; k < count; ++k) t.store(a.ids, offset + k, static_cast<Id>(t.load(a.stage, begin + k)));
        });
    }
};

}  // namespace crayon::gpu
