// BPE by its definition, one block per piece: in rounds, each merging all pairs of the piece's lowest rank.
//
// This equals merging one by one from the left. A rank belongs to one pair of tokens, and a merge makes a token of that
// rank, whose own pairs have higher ranks: so until the last pair of the rank is merged, no new pair of that rank or a
// lower one appears. Two of them overlap only in a run of equal tokens, aaaa, where every second one is taken, from the
// left of the run. (Merging all pairs lower than their neighbours would not be equivalent: a later merge may have taken a
// neighbour first.)
//
//   tokens b a a a a a c a a the lowest rank belongs to (a, a)
//   pairs      x x x x       x       those that directly follow another of the rank: . x x x . .
//   heads      x             x       each merges along its run
//   tokens   b aa aa a c aa
//
// A round removes at least one unit and looks at each byte, with all threads: n² / threads steps for n bytes, 4096 / 256 ·
// n at most, and at most n merges, whose lookups are most of the work.
#pragma once

#include "kernels/block_scan.h"
#include "kernels/bpe_tables.h"

namespace crayon::gpu {

template <u32 kUnits, u32 kBlock>
struct MergeBlock {
    static constexpr const char* kName = "merge_block";
    static constexpr u32 kThreads = kBlock;
    static constexpr u32 kItemsPerThread = kUnits / kThreads;  // bytes per thread, kThreads apart
    using Args = Merging;
    struct Shared {
        gpu::Shared<u32, kUnits> units;   // ranks of tokens
        gpu::Shared<u32, kUnits> ranks;   // of the pair that begins there; kNone: does not merge; kChanged: has a new token
        gpu::Shared<u16, kUnits> next;    // unit; 0: no token begins there
        gpu::Shared<u8, kUnits> follows;  // whether the pair follows another of the lowest rank
        gpu::Shared<u32, 2> lowest;       // rank of this round, of the next
        gpu::Shared<u64, kMostWarps + 1> totals;
    };
    static constexpr u32 kChanged = kNone - 1;
    static_assert(kItemsPerThread <= 32 && kUnits < 1u << 16 && layout::kMaxTokens < kChanged);

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 count = block.broadcast(a.count, 0);
        for (u64 job = block.index; job < count; job += a.blocks) merge(block, shared, a, block.broadcast(a.list, job));
    }

private:
    template <class Block>
    CRAYON_KERNEL_CODE static void merge(Block& block, Shared& shared, const Args& a, u64 piece) {
        const u64 begin = block.broadcast(a.pieces.begins, piece);
        const u32 length = static_cast<u32>(block.broadcast(a.pieces.begins, piece + 1) - begin);
        // The bytes of a thread, one bit each.
        const auto each_byte = [&](const Thread& t, auto work) {
            for (u32 i = t.index, bit = 1; i < length; i += kThreads, bit *= 2) work(i, bit);
        };
        const auto ask = [&](const Thread& t, u32 i) {
            const u32 after = t.load(shared.next, i);
            return after == length ? kNone : a.tables.merged(t, t.load(shared.units, i), t.load(shared.units, after));
        };
        const auto meet = [&](const Thread& t, u32 round, u32 rank) {
            if (rank != kNone) t.atomic_min(shared.lowest, round, rank);
        };

        block.each([&](Thread& t) {
            each_byte(t, [&](u32 i, u32) {
                t.store(shared.units, i, t.load(a.tables.byte_ranks, t.load(a.text, begin + i)));
                t.store(shared.next, i, static_cast<u16>(i + 1));
                t.store(shared.follows, i, 0);
            });
            if (t.index < 2) t.store(shared.lowest, t.index, kNone);
        });
        block.each([&](Thread& t) {
            u32 lowest = kNone;
            each_byte(t, [&](u32 i, u32) {
                const u32 rank = ask(t, i);
                t.store(shared.ranks, i, rank);
                lowest = least(lowest, rank);
            });
            meet(t, 0, lowest);
        });
        typename Block::template Values<u32> marks(block);
        for (u32 round = 0;; round ^= 1) {
            const u32 rank = block.uniform(shared.lowest, round);
            if (rank == kNone) break;
            block.each([&](Thread& t) {
                each_byte(t, [&](u32 i, u32) {
                    if (t.load(shared.ranks, i) == rank) t.store(shared.follows, t.load(shared.next, i), 1);
                });
                if (t.index == 0) t.store(shared.lowest, round, kNone);
            });
            block.each([&](Thread& t) {  // heads
                marks[t] = 0;
                each_byte(t, [&](u32 i, u32 bit) {
                    if (t.load(shared.ranks, i) == rank && t.load(shared.follows, i) == 0) marks[t] |= bit;
                });
            });
            block.each([&](Thread& t) {
                each_byte(t, [&](u32 i, u32 bit) {
                    if (marks[t] & bit) merge_run(t, shared, i, rank);
                });
            });
            block.each([&](Thread& t) {  // pairs with a new token
                marks[t] = 0;
                each_byte(t, [&](u32 i, u32 bit) {
                    t.store(shared.follows, i, 0);
                    const u32 after = t.load(shared.next, i);
                    if (after == 0) return;
                    const bool is_new =
                        t.load(shared.ranks, i) == kChanged || (after < length && t.load(shared.ranks, after) == kChanged);
                    if (is_new) marks[t] |= bit;
                });
            });
            block.each([&](Thread& t) {
                u32 lowest = kNone;
                each_byte(t, [&](u32 i, u32 bit) {
                    if (marks[t] & bit) t.store(shared.ranks, i, ask(t, i));
                    lowest = least(lowest, t.load(shared.ranks, i));
                });
                meet(t, round ^ 1, lowest);
            });
        }

        u64 count = 0;
        typename Block::template Values<u64> before(block);
        for (u32 first = 0; first < length; first += kThreads) {
            const auto is_token = [&](const Thread& t) {
                return first + t.index < length && t.load(shared.next, first + t.index) != 0;
            };
            block.each([&](Thread& t) {
                marks[t] = is_token(t) ? a.tables.id_of(t, t.load(shared.units, first + t.index)) : kNone;
                before[t] = marks[t] != kNone ? a.tables.count_of(t, marks[t]) : 0;
            });
            exclusive_scan<Sum, kThreads>(block, before, shared.totals);
            block.each([&](Thread& t) {
                if (marks[t] == kNone) return;
                u64 at = count + before[t];
                a.tables.each_id(t, marks[t], [&](u32 id) {
                    if (at == 0) t.store(a.alone, piece, id);
                    if (at < length) t.store(a.stage, begin + at++, id);
                });
            });
            count += block.uniform(shared.totals, kMostWarps);
        }
        block.each([&](Thread& t) {
            if (t.index == 0) t.store(a.counts, piece, static_cast<u32>(least<u64>(count, length)));
        });
    }

    // Merges every second pair of the run that begins at `at`. One thread per run: no other thread touches its units.
    CRAYON_KERNEL_CODE static void merge_run(const Thread& t, Shared& shared, u32 at, u32 rank) {
        for (;;) {
            const u32 second = t.load(shared.next, at), after = t.load(shared.next, second);
            const bool goes_on = t.load(shared.ranks, second) == rank;
            t.store(shared.units, at, rank);
            t.store(shared.ranks, at, kChanged);
            t.store(shared.next, at, static_cast<u16>(after));
            t.store(shared.ranks, second, kNone);
            t.store(shared.next, second, 0);
            if (!goes_on || t.load(shared.ranks, after) != rank) return;
            at = after;
        }
    }
};

}  // namespace crayon::gpu
