// Documents in chunks: each chunk is a part of one document; all have the same size except the last of a document, and they
// follow each other without gaps. Empty documents have none.
//
// ChunkCounts, then a scan of the counts, then ChunkTable.
#pragma once

#include "kernels/scan_counts.h"

namespace crayon::gpu {

struct ChunkCounts {
    static constexpr const char* kName = "chunk_counts";
    static constexpr u32 kThreads = 256;
    struct Args {
        Global<const u64> offsets;  // of the documents, document_count + 1
        u64 document_count;
        u32 chunk_size;
        Global<u64> counts;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i >= a.document_count) return;
            t.store(a.counts, i, blocks_for(t.load(a.offsets, i + 1) - t.load(a.offsets, i), a.chunk_size));
        });
    }
};

// The chunks of a batch. Chunk i is text[begins[i], begins[i + 1]).
struct Chunks {
    Global<const u64> begins;  // count + 1
    Global<const u64> ends;    // the end of each one's document
    u64 count;
};

struct ChunkTable {
    static constexpr const char* kName = "chunk_table";
    static constexpr u32 kThreads = 256;
    struct Args {
        Global<const u64> offsets;
        Global<const u64> first_chunks;  // document_count + 1
        u64 document_count;
        u32 chunk_size;
        u64 count;
        Global<u64> begins;  // count + 1
        Global<u64> ends;
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i == a.count) t.store(a.begins, i, t.load(a.offsets, a.document_count));
            if (i >= a.count) return;
            const u64 document = range_of(t, a.first_chunks, 0, a.document_count, i);
            const u64 before = i - t.load(a.first_chunks, document);
            t.store(a.begins, i, t.load(a.offsets, document) + before * a.chunk_size);
            t.store(a.ends, i, t.load(a.offsets, document + 1));
        });
    }
};

// Computes row offsets from chunk offsets: a document's ids begin where its first chunk's do.
struct RowOffsets {
    static constexpr const char* kName = "row_offsets";
    static constexpr u32 kThreads = 256;
    struct Args {
        Global<const u64> first_chunks;
        u64 document_count;
        Global<const u64> id_offsets;  // per chunk, plus one
        Global<u64> row_offsets;       // document_count + 1
        Global<u64> longest;           // row
    };
    struct Shared {};

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            const u64 i = block.index * kThreads + t.index;
            if (i > a.document_count) return;
            const u64 begin = t.load(a.id_offsets, t.load(a.first_chunks, i));
            t.store(a.row_offsets, i, begin);
            if (i == a.document_count) return;
            const u64 length = t.load(a.id_offsets, t.load(a.first_chunks, i + 1)) - begin;
            if (length > 0) t.atomic_max(a.longest, 0, length);
        });
    }
};

}  // namespace crayon::gpu
