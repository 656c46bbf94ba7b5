// The chains of a batch, each from the beginning of its document to its end, in chunks that are walked in parallel.
//
// Documents follow each other without gaps and steps leave no gaps, so all chains together form one, from the first byte to
// the last: a step always ends where a document begins.
//
//            chunk 0        chunk 1          chunk 2
//   text     |..............|................|............
//   chain    x    x  x      .  x     x     x .    x   x         the entry of chunk 1 is 3, its exit is 5 (= the entry of 2)
//
// 1. Speculate: each chunk is walked from 64 bytes before it, or from the beginning of its document. Chains that begin at
//    different positions soon meet, so nearly all walks enter their chunks at the right position. The walk stores entry,
//    exit, ids and their count.
// 2. Repair: a chunk whose entry is not the exit of the previous one is walked again from that exit; all such chunks in
//    parallel. Two rounds.
// 3. Verify: if every entry equals the previous exit, all are right, by induction from the first. For adversarial texts
//    they are not:
// 4. ExitMap, Compose, Hop, Expand (exit_map.h) find the entries with bounded work for any text, and Repair walks all
//    chunks once more.
// 5. A scan of the counts; Emit gathers the ids.
//
// Entries are relative to the beginning of the chunk, exits to its end. Both may lie past the chunk, in longer steps.
#pragma once

#include "kernels/chunk_table.h"
#include "kernels/step.h"

namespace crayon::gpu {

inline constexpr u32 kLookback = 64;
inline constexpr u32 kWalkThreads = 128;

// The results of walking, per chunk.
struct Walks {
    Global<u32> entries;
    Global<u32> counts;
    Global<u32> stage;   // the ids of a chunk, from the offset of its beginning on; at most one per byte. Or null
    Global<u8> unknown;  // whether a step found no id
    bool stages_begins;  // instead of ids: the starts of tokens, relative to the chunk
};

// Walks from `at` to the end of the chunk; text before the chunk only serves to find the entry.
template <class Step>
CRAYON_KERNEL_CODE void walk(const Thread& t, const Step& step, const typename Step::Shared& shared, Global<const u8> bytes,
                             u64 chunk, u64 begin, u64 end, u64 document_end, u64 at, const Walks& walks, Global<u32> exits) {
    TextReader text(t, bytes, least(at, begin));
    typename Step::Cursor cursor(t, step);
    // In the reader's positions.
    u32 position = text.position_of(at);
    const u32 first = text.position_of(begin), last = text.position_of(end), text_end = text.position_of(document_end);
    u32 entry = position, count = 0, staged = 0;
    bool unknown = false;
    if (position < last) cursor.start(position, text_end);
    while (position < last) {
        if (!cursor.advance(t, step, shared, text)) continue;
        const u32 next = position + cursor.length();
        if (position < first) {
            entry = next;
        } else {
            unknown = unknown || cursor.failed();
            if (walks.stage) {
                // Stored along with the next one: until then it may still be loading.
                if (count > 0) t.store(walks.stage, begin + (count - 1), staged);
                staged = walks.stages_begins ? position - first : step.id_of(t, cursor.value());
            }
            ++count;
        }
        position = next;
        if (position < last) cursor.start(position, text_end);
    }
    if (walks.stage && count > 0) t.store(walks.stage, begin + (count - 1), staged);
    t.store(walks.entries, chunk, entry - first);
    t.store(exits, chunk, position - last);
    t.store(walks.counts, chunk, count);
    t.store(walks.unknown, chunk, static_cast<u8>(unknown));
}

// The memory that the steps of a block share.
template <class Step, class Block>
CRAYON_KERNEL_CODE void prepare(Block& block, u32 threads, const Step& step, typename Step::Shared& shared) {
    if constexpr (Step::kShared > 0) {
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < Step::kShared; i += threads) step.prepare(t, shared, i);
        });
    }
}

template <class Step>
struct Speculate {
    static constexpr const char* kName = "speculate";
    static constexpr u32 kThreads = kWalkThreads;
    struct Args {
        Step step;
        Global<const u8> text;
        Chunks chunks;
        Walks walks;
        Global<u32> exits;
    };
    struct Shared {
        typename Step::Shared step;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 first = block.index * kThreads;
        prepare(block, kThreads, a.step, shared.step);
        block.each([&](Thread& t) {
            const u64 chunk = first + t.index;
            if (chunk >= a.chunks.count) return;
            const u64 begin = t.load(a.chunks.begins, chunk), end = t.load(a.chunks.begins, chunk + 1);
            const u64 document_end = t.load(a.chunks.ends, chunk);
            const bool is_first = chunk == 0 || t.load(a.chunks.ends, chunk - 1) == begin;
            const u64 previous = is_first ? begin : t.load(a.chunks.begins, chunk - 1);
            const u64 at = greatest(previous, begin < kLookback ? 0 : begin - kLookback);
            walk(t, a.step, shared.step, a.text, chunk, begin, end, document_end, at, a.walks, a.exits);
        });
    }
};

// Walks the chunks whose entry is not the previous chunk's exit, or all of them from the entries they have. `exits` becomes
// `new_exits`; these are different arrays, since other chunks are walked at the same time.
template <class Step>
struct Repair {
    static constexpr const char* kName = "repair";
    static constexpr u32 kThreads = kWalkThreads;
    struct Args {
        Step step;
        Global<const u8> text;
        Chunks chunks;
        Walks walks;
        Global<const u32> exits;  // null: all, from their entries
        Global<u32> new_exits;
    };
    struct Shared {
        typename Step::Shared step;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        prepare(block, kThreads, a.step, shared.step);
        block.each([&](Thread& t) {
            const u64 chunk = block.index * kThreads + t.index;
            if (chunk >= a.chunks.count) return;
            u32 entry = t.load(a.walks.entries, chunk);
            if (a.exits) {
                const u32 expected = chunk == 0 ? 0 : t.load(a.exits, chunk - 1);
                if (entry == expected) {
                    t.store(a.new_exits, chunk, t.load(a.exits, chunk));
                    return;
                }
                entry = expected;
            }
            const u64 begin = t.load(a.chunks.begins, chunk), end = t.load(a.chunks.begins, chunk + 1);
            walk(t, a.step, shared.step, a.text, chunk, begin, end, t.load(a.chunks.ends, chunk), begin + entry, a.walks,
                 a.new_exits);
        });
    }
};

// Counts the chunks whose entry is not the previous chunk's exit, and finds the first with an unknown character.
struct Verify {
    static constexpr const char* kName = "verify";
    static constexpr u32 kThreads = 256;
    struct Args {
        Chunks chunks;
        Walks walks;
        Global<const u32> exits;
        Global<u64> wrong;    // += their number
        Global<u64> failure;  // the first start of a chunk with an unknown character; or null
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        typename Block::template Values<bool> is_wrong(block);
        typename Block::template Values<u64> lanes(block);
        block.each([&](Thread& t) {
            const u64 chunk = block.index * kThreads + t.index;
            is_wrong[t] = false;
            if (chunk >= a.chunks.count) return;
            const u32 expected = chunk == 0 ? 0 : t.load(a.exits, chunk - 1);
            is_wrong[t] = t.load(a.walks.entries, chunk) != expected;
            if (a.failure && t.load(a.walks.unknown, chunk)) t.atomic_min(a.failure, 0, t.load(a.chunks.begins, chunk));
        });
        block.ballot(is_wrong, lanes);
        block.each([&](Thread& t) {
            if (t.lane == 0 && lanes[t] != 0) t.atomic_add(a.wrong, 0, count_bits(lanes[t]));
        });
    }
};

// Gathers the chunks' staged values in sequence, one warp per chunk: ids, or the starts of pieces in the text.
template <class Id, bool kBegins = false>
struct Emit {
    static constexpr const char* kName = kBegins ? "emit_begins" : "emit";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kChunks = kThreads / 32;  // per block
    struct Args {
        Chunks chunks;
        Global<const u64> id_offsets;  // per chunk, plus one
        Global<const u32> stage;
        Global<Id> ids;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 chunk = block.index * kChunks + t.index / 32;
            if (chunk >= a.chunks.count) return;
            const u64 begin = t.load(a.chunks.begins, chunk), offset = t.load(a.id_offsets, chunk);
            const u32 count = static_cast<u32>(t.load(a.id_offsets, chunk + 1) - offset);
            for (u32 i = t.index % 32; i < count; i += 32) {
                const u32 staged = t.load(a.stage, begin + i);
                t.store(a.ids, offset + i, static_cast<Id>(kBegins ? begin + staged : staged));
            }
        });
    }
};

}  // namespace crayon::gpu
