// BPE by its definition, one thread per piece: while any adjacent pair merges, merge the one of lowest rank, the leftmost
// on ties.
//
// A piece of n bytes has fewer than n merges, each scanning at most n pairs and looking up two: with n ≤ 64, at most 64
// steps per byte. A thread keeps its units in a column of shared memory, so that adjacent threads of a warp access
// different banks.
#pragma once

#include "kernels/bpe_tables.h"

namespace crayon::gpu {

// The index of the lowest bit, and of the highest; some bit must be set.
CRAYON_KERNEL_CODE u32 lowest_bit(u64 bits) { return count_bits(~bits & (bits - 1)); }
CRAYON_KERNEL_CODE u32 highest_bit(u64 bits) {
    for (u32 i = 1; i < 64; i *= 2) bits |= bits >> i;
    return count_bits(bits) - 1;
}

template <u32 kUnits, u32 kBlock>
struct MergeThread {
    static constexpr const char* kName = "merge_thread";
    static constexpr u32 kThreads = kBlock;
    using Args = Merging;
    struct Shared {
        gpu::Shared<u32, kUnits * kThreads> units;  // ranks of tokens
        gpu::Shared<u32, kUnits * kThreads> keys;   // rank · 64 + unit of the pair that begins there, or kNone
    };
    static_assert(kUnits <= 64 && u64{layout::kMaxTokens} * 64 < kNone);

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 count = block.broadcast(a.count, 0);
        block.each([&](Thread& t) {
            for (u64 job = block.index * kThreads + t.index; job < count; job += a.blocks * kThreads) {
                merge(t, shared, a, t.load(a.list, job));
            }
        });
    }

private:
    static constexpr u32 kAtOnce = 4;  // pairs looked up at once

    CRAYON_KERNEL_CODE static void merge(const Thread& t, Shared& shared, const Args& a, u64 piece) {
        const u64 begin = t.load(a.pieces.begins, piece);
        const u32 length = static_cast<u32>(t.load(a.pieces.begins, piece + 1) - begin);
        const auto index_of = [&](u32 i) { return i * kThreads + t.index; };
        const auto unit = [&](u32 i) { return t.load(shared.units, index_of(i)); };
        const auto set_key = [&](u32 i, u32 rank) { t.store(shared.keys, index_of(i), rank == kNone ? kNone : rank * 64 + i); };

        TextReader text(t, a.text, begin);
        const u32 at_first = text.position_of(begin);
        u32 units[kAtOnce + 1];
        units[0] = t.load(a.tables.byte_ranks, text(at_first));
        for (u32 first = 0; first < length; first += kAtOnce) {
            const u32 pairs = least(length - 1 - first, kAtOnce);
            CRAYON_UNROLL for (u32 k = 0; k < kAtOnce; ++k) {
                if (k < pairs) units[k + 1] = t.load(a.tables.byte_ranks, text(at_first + first + k + 1));
            }
            u32 ranks[kAtOnce];
            a.tables.template merged<kAtOnce>(t, units, units + 1, pairs, ranks);
            CRAYON_UNROLL for (u32 k = 0; k < kAtOnce; ++k) {
                if (first + k >= length) continue;
                t.store(shared.units, index_of(first + k), units[k]);
                set_key(first + k, ranks[k]);
            }
            units[0] = units[kAtOnce];
        }

        u64 alive = ~u64{0} >> (64 - length);  // units where a token begins
        for (;;) {
            u32 best = kNone;
            for (u64 rest = alive; rest != 0; rest &= rest - 1)
                best = least(best, t.load(shared.keys, index_of(lowest_bit(rest))));
            if (best == kNone) break;
            const u32 at = best % 64, rank = best / 64;
            const u64 before = alive & ((u64{1} << at) - 1), after = alive & ~(before | u64{1} << at);
            const u64 later = after & (after - 1);
            alive = before | u64{1} << at | later;  // the unit after it is part of it
            t.store(shared.units, index_of(at), rank);
            // Its pairs with the previous and the next token.
            const u32 previous = before != 0 ? highest_bit(before) : 0;
            u32 left[2] = {rank, before != 0 ? unit(previous) : rank}, ranks[2];
            u32 right[2] = {later != 0 ? unit(lowest_bit(later)) : kNone, rank};
            a.tables.template merged<2>(t, left, right, 2, ranks);
            set_key(at, later != 0 ? ranks[0] : kNone);
            if (before != 0) set_key(previous, ranks[1]);
        }
        u32 count = 0;
        for (u64 rest = alive; rest != 0; rest &= rest - 1) {
            a.tables.each_id(t, a.tables.id_of(t, unit(lowest_bit(rest))), [&](u32 id) {
                if (count == length) return;
                if (count == 0) t.store(a.alone, piece, id);
                t.store(a.stage, begin + count++, id);
            });
        }
        t.store(a.counts, piece, count);
    }
};

}  // namespace crayon::gpu
