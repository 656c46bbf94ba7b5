// BPE by its definition, a thread for each piece: as long as any adjacent pair merges, merge the one of the lowest rank, the
// leftmost of equals.
//
// A piece of n bytes has fewer than n merges, and each looks at no more than n pairs and looks two up: with n ≤ 64 that is at
// most 64 steps for a byte. A thread has its units in a column of shared memory, so that what the threads of a warp load side by
// side lies in different banks.
#pragma once

#include "kernels/bpe_tables.h"

namespace crayon::gpu {

// The index of the lowest bit, of the highest; there is one.
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
        block.each([&](Thread& t) {
            const u64 job = block.index * kThreads + t.index;
            if (job >= a.count) return;
            const u64 piece = t.load(a.list, job), begin = t.load(a.pieces.begins, piece);
            const u32 length = static_cast<u32>(t.load(a.pieces.begins, piece + 1) - begin);
            const auto index_of = [&](u32 i) { return i * kThreads + t.index; };
            const auto unit = [&](u32 i) { return t.load(shared.units, index_of(i)); };
            const auto ask = [&](u32 i, u32 left, u32 right) {
                const u32 rank = a.tables.merged(t, left, right);
                t.store(shared.keys, index_of(i), rank == kNone ? kNone : rank * 64 + i);
            };
            u32 right = t.load(a.tables.byte_ranks, t.load(a.text, begin));
            for (u32 i = 0; i < length; ++i) {
                const u32 left = right;
                t.store(shared.units, index_of(i), left);
                if (i + 1 == length) break;
                right = t.load(a.tables.byte_ranks, t.load(a.text, begin + i + 1));
                ask(i, left, right);
            }
            t.store(shared.keys, index_of(length - 1), kNone);

            u64 alive = ~u64{0} >> (64 - length);  // units at which a token begins
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
                t.store(shared.keys, index_of(at), kNone);
                if (later != 0) ask(at, rank, unit(lowest_bit(later)));
                if (before != 0) ask(highest_bit(before), unit(highest_bit(before)), rank);
            }
            u32 count = 0;
            for (u64 rest = alive; rest != 0; rest &= rest - 1) {
                t.store(a.stage, begin + count++, a.tables.id_of(t, unit(lowest_bit(rest))));
            }
            t.store(a.counts, piece, count);
        });
    }
};

}  // namespace crayon::gpu
