// The chains of a batch, each from the beginning of its document to its end, in chunks that are walked at once.
//
// Documents follow each other without gaps and no step leaves one, so all chains together are one, from the first byte to
// the last: where a document begins, a step always ends.
//
//            chunk 0        chunk 1          chunk 2
//   text     |..............|................|............
//   chain    x    x  x      .  x     x     x .    x   x         the entry of chunk 1 is 3, its exit is 5 (= the entry of 2)
//
// 1. Speculate: each chunk is walked from 64 bytes before it, or from the beginning of its document. Chains that begin at
//    different positions soon have one in common, so that nearly all walks enter their chunks at the right position. It leaves
//    entry, exit, ids and their count.
// 2. Repair: a chunk whose entry is not the exit of the one before is walked again from there; all of them at once. Two rounds.
// 3. Verify: if every entry is the exit before it, then all are right, by induction from the first. Where there is an
//    adversary, they are not:
// 4. ExitMap, Compose, Hop, Expand (exit_map.h) find the entries with work that is bounded for any text, and Repair walks all
//    chunks once more.
// 5. A scan of the counts; Emit gathers the ids.
//
// Entries and exits are relative: to the beginning of the chunk, and to its end. Both may be beyond the chunk, in steps that are
// longer.
#pragma once

#include "kernels/chunk_table.h"
#include "kernels/step.h"

namespace crayon::gpu {

inline constexpr u32 kLookback = 64;
inline constexpr u32 kLookahead = 256;  // what tokens that begin in the last chunk of a block mostly need
inline constexpr u32 kWalkThreads = 128;

// What walking leaves for each chunk.
struct Walks {
    Global<u32> entries;
    Global<u32> counts;
    Global<u32> stage;   // the ids of a chunk, from the offset of its beginning on; there are no more than bytes. Or null
    Global<u8> unknown;  // whether a step found no id
};

// The text of a block's chunks, in shared memory as far as it fits: every byte is read several times, by threads that are
// a chunk apart, and loaded once, by threads that are side by side.
class Window {
public:
    static constexpr u32 kSize = 40 * 1024;
    using Bytes = Shared<Packed<16>, kSize / 16>;

    CRAYON_KERNEL_CODE Window(const Thread& t, Global<const u8> text, const Bytes& bytes, u64 begin, u64 end)
        : t_(t), text_(text), bytes_(bytes), begin_(begin), length_(static_cast<u32>(end - begin)) {}

    CRAYON_KERNEL_CODE u32 operator()(u64 at) const {
        const u64 i = at - begin_;
        if (i >= length_) return t_.load(text_, at);
        return t_.load_byte(bytes_, static_cast<u32>(i));
    }

    // Whole packs that are in the text.
    template <class Block>
    CRAYON_KERNEL_CODE static void fill(Block& block, u32 threads, Global<const u8> text, Bytes& bytes, u64 begin, u64 end) {
        block.each([&](Thread& t) {
            for (u32 i = t.index; begin + (u64{i} + 1) * 16 <= end; i += threads) {
                t.store(bytes, i, t.template load_as<Packed<16>>(text, begin + u64{i} * 16));
            }
        });
    }
    CRAYON_KERNEL_CODE static u64 end_for(u64 begin, u64 end) { return begin + least<u64>((end - begin) / 16 * 16, kSize); }

private:
    const Thread& t_;
    Global<const u8> text_;
    const Bytes& bytes_;
    u64 begin_;
    u32 length_;
};

// From `at` to the end of the chunk; before its beginning, only to find where the chain enters it. (One loop for both: a step may
// be much code, and this has it once.)
template <class Step, class Text>
CRAYON_KERNEL_CODE void walk(const Thread& t, const Step& step, const typename Step::Shared& shared, const Text& text, u64 chunk,
                             u64 begin, u64 end, u64 document_end, u64 at, const Walks& walks, Global<u32> exits) {
    u64 entry = at;
    u32 count = 0;
    bool unknown = false;
    while (at < end) {
        const Next next = step(t, shared, text, at, document_end);
        if (at < begin) {
            entry = next.at;
        } else {
            unknown = unknown || next.id == kNone;
            if (walks.stage) t.store(walks.stage, begin + count, next.id);
            ++count;
        }
        at = next.at;
    }
    t.store(walks.entries, chunk, static_cast<u32>(entry - begin));
    t.store(exits, chunk, static_cast<u32>(at - end));
    t.store(walks.counts, chunk, count);
    t.store(walks.unknown, chunk, static_cast<u8>(unknown));
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
        Window::Bytes window;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 first = block.index * kThreads;
        const u64 begin = block.broadcast(a.chunks.begins, first), all = block.broadcast(a.chunks.begins, a.chunks.count);
        const u64 end = block.broadcast(a.chunks.begins, least(first + kThreads, a.chunks.count));
        const u64 window_begin = begin < kLookback ? 0 : (begin - kLookback) / 16 * 16;
        const u64 window_end = Window::end_for(window_begin, least(end + kLookahead, all));
        Window::fill(block, kThreads, a.text, shared.window, window_begin, window_end);
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < Step::kShared; i += kThreads) a.step.prepare(t, shared.step, i);
        });
        block.each([&](Thread& t) {
            const u64 chunk = first + t.index;
            if (chunk >= a.chunks.count) return;
            const u64 begin = t.load(a.chunks.begins, chunk), end = t.load(a.chunks.begins, chunk + 1);
            const u64 document_end = t.load(a.chunks.ends, chunk);
            const bool is_first = chunk == 0 || t.load(a.chunks.ends, chunk - 1) == begin;
            const u64 previous = is_first ? begin : t.load(a.chunks.begins, chunk - 1);
            const Window text(t, a.text, shared.window, window_begin, window_end);
            const u64 at = greatest(previous, begin < kLookback ? 0 : begin - kLookback);
            walk(t, a.step, shared.step, text, chunk, begin, end, document_end, at, a.walks, a.exits);
        });
    }
};

// Walks the chunks whose entry is not where the one before has ended, or all of them from the entries that they have. `exits`
// becomes `new_exits`; both are different arrays, since other chunks are walked at the same time.
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
        block.each([&](Thread& t) {
            for (u32 i = t.index; i < Step::kShared; i += kThreads) a.step.prepare(t, shared.step, i);
        });
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
            const auto text = [&](u64 at) -> u32 { return t.load(a.text, at); };
            walk(t, a.step, shared.step, text, chunk, begin, end, t.load(a.chunks.ends, chunk), begin + entry, a.walks,
                 a.new_exits);
        });
    }
};

// Counts the chunks whose entry is not where the one before has ended, and finds the first with an unknown character.
struct Verify {
    static constexpr const char* kName = "verify";
    static constexpr u32 kThreads = 256;
    struct Args {
        Chunks chunks;
        Walks walks;
        Global<const u32> exits;
        Global<u32> wrong;    // += their number
        Global<u64> failure;  // the least beginning of a chunk with an unknown character
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
            if (t.load(a.walks.unknown, chunk)) t.atomic_min(a.failure, 0, t.load(a.chunks.begins, chunk));
        });
        block.ballot(is_wrong, lanes);
        block.each([&](Thread& t) {
            if (t.lane == 0 && lanes[t] != 0) t.atomic_add(a.wrong, 0, count_bits(lanes[t]));
        });
    }
};

// The staged ids of all chunks, one after the other. A tile of ids belongs to a block, so that stores are one stretch, and loads
// as many as there are chunks in it.
template <class Id>
struct Emit {
    static constexpr const char* kName = "emit";
    static constexpr u32 kThreads = 256;
    static constexpr u32 kItemsPerThread = 4;
    static constexpr u32 kTile = kThreads * kItemsPerThread;
    struct Args {
        Chunks chunks;
        Global<const u64> id_offsets;  // of each chunk, and one more
        u64 id_count;
        Global<const u32> stage;
        Global<Id> ids;
    };
    static constexpr u32 kNear = kTile;  // chunks of a tile that are in shared memory: all of them, where each has an id
    struct Shared {
        gpu::Shared<u64, 2> ends;  // the chunks of the first id and the last
        gpu::Shared<u64, kNear + 1> offsets, begins;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        const u64 first = block.index * kTile, last = least<u64>(first + kTile, a.id_count) - 1;
        block.each([&](Thread& t) {
            if (t.index >= 2) return;
            t.store(shared.ends, t.index, range_of(t, a.id_offsets, 0, a.chunks.count - 1, t.index == 0 ? first : last));
        });
        const u64 first_chunk = block.uniform(shared.ends, 0), last_chunk = block.uniform(shared.ends, 1);
        const u32 near = static_cast<u32>(least<u64>(last_chunk - first_chunk + 1, kNear));
        block.each([&](Thread& t) {
            for (u32 i = t.index; i <= near; i += kThreads) {
                t.store(shared.offsets, i, t.load(a.id_offsets, first_chunk + i));
                t.store(shared.begins, i, t.load(a.chunks.begins, first_chunk + i));
            }
        });
        block.each([&](Thread& t) {
            u64 chunk = 0;  // after the first of the tile
            for (u64 i = first + t.index; i <= last; i += kThreads) {
                u64 staged;
                if (i < t.load(shared.offsets, near)) {
                    const u32 k = static_cast<u32>(chunk = range_of(t, shared.offsets, chunk, near - 1, i));
                    staged = t.load(shared.begins, k) + i - t.load(shared.offsets, k);
                } else {
                    const u64 far = range_of(t, a.id_offsets, first_chunk + near, last_chunk, i);
                    staged = t.load(a.chunks.begins, far) + i - t.load(a.id_offsets, far);
                }
                t.store(a.ids, i, static_cast<Id>(t.load(a.stage, staged)));
            }
        });
    }
};

}  // namespace crayon::gpu
