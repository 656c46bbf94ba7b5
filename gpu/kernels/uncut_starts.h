// Where the pieces of a text begin, for BPE without a pretokenizer: between two bytes that no token joins.
//
// A boundary depends on the two bytes around it, so every chunk finds its own, with one thread, whatever the others find: no
// chain is followed. A piece may be of any length; those too long for the kernels that merge are failures of their documents
// (lookup.h).
#pragma once

#include "kernels/chunk_table.h"
#include "kernels/step.h"

namespace crayon::gpu {

struct UncutStarts {
    static constexpr const char* kName = "uncut_starts";
    static constexpr u32 kThreads = 128;
    static constexpr u32 kJoined = 256 * 256 / 32;  // words of the table
    struct Args {
        Global<const u32> joined;  // bit a · 256 + b: whether a token joins the bytes a and b
        Global<const u8> text;
        Chunks chunks;
        Global<u32> stage;   // the starts in a chunk, relative to it, from the offset of its beginning on
        Global<u32> counts;  // per chunk
    };
    struct Shared {
        gpu::Shared<u32, kJoined> joined;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < kJoined; i += kThreads) t.store(shared.joined, i, t.load(a.joined, i));
        });
        block.each([&](Thread& t) {
            const u64 chunk = block.index * kThreads + t.index;
            if (chunk >= a.chunks.count) return;
            const u64 begin = t.load(a.chunks.begins, chunk);
            const bool is_first = chunk == 0 || t.load(a.chunks.ends, chunk - 1) == begin;
            find(t, shared, a, chunk, begin, is_first);
        });
    }

private:
    CRAYON_KERNEL_CODE static void find(const Thread& t, const Shared& shared, const Args& a, u64 chunk, u64 begin,
                                        bool is_first) {
        TextReader text(t, a.text, is_first ? begin : begin - 1);
        const u32 first = text.position_of(begin), last = text.position_of(t.load(a.chunks.begins, chunk + 1));
        u32 position = first, count = 0, previous = 0;
        if (is_first) {
            t.store(a.stage, begin + count++, 0);
            previous = position < last ? text(position++) : 0;
        } else {
            previous = text(position - 1);
        }
        for (; position < last; ++position) {
            const u32 byte = text(position);
            const bool is_joined = (t.load(shared.joined, previous * 8 + byte / 32) >> byte % 32 & 1) != 0;
            if (!is_joined) t.store(a.stage, begin + count++, position - first);
            previous = byte;
        }
        t.store(a.counts, chunk, count);
    }
};

}  // namespace crayon::gpu
