// The entries of all chunks, for texts whose chains do not meet: with linear work for any text.
//
//   ExitMap   for each offset of a chunk, where a chain from there leaves the chunk; a block per chunk, by doubling
//   Compose   for each offset of a group of 256 chunks, where it leaves the group; a block per group, from its last chunk
//   to its
//             first, because where a chain leaves its chunk is an offset whose exit is known by then
//   Hop       from group to group, one load each: the entries of the groups
//   Expand    from chunk to chunk, one load each: the entries of the chunks; a thread per group
//
// Exits are relative to the end of the chunk or group, as in chain.h.
#pragma once

#include "kernels/chain.h"

namespace crayon::gpu {

inline constexpr u32 kLargestChunk = 1024;
inline constexpr u32 kGroup = 256;  // chunks

template <class Step>
struct ExitMap {
    static constexpr const char* kName = "exit_map";
    static constexpr u32 kThreads = 256;
    struct Args {
        Step step;
        Global<const u8> text;
        Chunks chunks;
        Global<u32> exits;  // for each offset of the text
    };
    struct Shared {
        typename Step::Shared step;
        gpu::Shared<u32, kLargestChunk> to[2];
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 begin = block.broadcast(a.chunks.begins, block.index), end = block.broadcast(a.chunks.begins, block.index + 1);
        const u64 document_end = block.broadcast(a.chunks.ends, block.index);
        const u32 length = static_cast<u32>(end - begin);
        prepare(block, kThreads, a.step, shared.step);
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < length; i += kThreads) {
                const u64 to = step_from(t, a.step, shared.step, a.text, begin + i, document_end);
                t.store(shared.to[0], i, static_cast<u32>(to - begin));
            }
        });
        u32 now = 0;
        for (u32 steps = 1; steps < length; steps *= 2, now ^= 1) {
            block.each([&](Thread& t) {
                for (u32 i = t.index; i < length; i += kThreads) {
                    const u32 to = t.load(shared.to[now], i);
                    t.store(shared.to[now ^ 1], i, to < length ? t.load(shared.to[now], to) : to);
                }
            });
        }
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < length; i += kThreads) {
                t.store(a.exits, begin + i, t.load(shared.to[now], i) - length);
            }
        });
    }
};

struct Compose {
    static constexpr const char* kName = "compose";
    static constexpr u32 kThreads = 256;
    struct Args {
        Chunks chunks;
        Global<const u32> exits;  // for each offset, from its chunk
        Global<u32> group_exits;  // for each offset, from its group
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        const u64 first = block.index * kGroup, last = least<u64>(first + kGroup, a.chunks.count);
        const u64 group_end = block.broadcast(a.chunks.begins, last);
        for (u64 chunk = last; chunk-- > first;) {
            const u64 begin = block.broadcast(a.chunks.begins, chunk), end = block.broadcast(a.chunks.begins, chunk + 1);
            block.each([&](Thread& t) {
                for (u64 i = begin + t.index; i < end; i += kThreads) {
                    const u64 at = end + t.load(a.exits, i);
                    t.store(a.group_exits, i, at < group_end ? t.load(a.group_exits, at) : static_cast<u32>(at - group_end));
                }
            });
        }
    }
};

// Runs on one thread.
struct Hop {
    static constexpr const char* kName = "hop";
    static constexpr u32 kThreads = 32;
    struct Args {
        Chunks chunks;
        Global<const u32> group_exits;
        Global<u64> group_entries;  // the first position of the chain at or after the start of the group
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            if (t.index != 0) return;
            u64 at = 0;
            for (u64 first = 0, group = 0; first < a.chunks.count; first += kGroup, ++group) {
                t.store(a.group_entries, group, at);
                const u64 end = t.load(a.chunks.begins, least<u64>(first + kGroup, a.chunks.count));
                if (at < end) at = end + t.load(a.group_exits, at);
            }
        });
    }
};

struct Expand {
    static constexpr const char* kName = "expand";
    static constexpr u32 kThreads = 32;
    struct Args {
        Chunks chunks;
        Global<const u32> exits;
        Global<const u64> group_entries;
        Global<u32> entries;  // per chunk
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 group = block.index * kThreads + t.index, first = group * kGroup;
            if (first >= a.chunks.count) return;
            u64 at = t.load(a.group_entries, group);
            for (u64 chunk = first; chunk < least<u64>(first + kGroup, a.chunks.count); ++chunk) {
                const u64 begin = t.load(a.chunks.begins, chunk), end = t.load(a.chunks.begins, chunk + 1);
                t.store(a.entries, chunk, static_cast<u32>(at - begin));
                if (at < end) at = end + t.load(a.exits, at);
            }
        });
    }
};

}  // namespace crayon::gpu
