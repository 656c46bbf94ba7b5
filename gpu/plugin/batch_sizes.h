// The host's knowledge of a batch before the device sees it: its division into chunks, and its maximum memory.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/kmer_parts.h"
#include "kernels/lookup.h"
#include "plugin/model.h"

namespace crayon::gpu {

inline constexpr u32 kSmallestChunk = 64, kLargestUsualChunk = 512;

// Enough chunks to give each processor's threads one, yet long compared with the text walked before each chunk. (On an
// H100, English: 128 bytes are best for 32 MiB, 512 for 256.)
inline u32 chunk_size_for(u64 length, u32 processors) {
    const u64 wanted = length / (u64{greatest(processors, 1u)} * 1920);
    return static_cast<u32>(std::bit_floor(std::clamp<u64>(wanted, kSmallestChunk, kLargestUsualChunk)));
}

// The same count that the device computes, which saves asking it.
inline u64 chunk_count_of(const u64* offsets, u64 documents, u32 chunk_size) {
    u64 count = 0;
    if (std::has_single_bit(chunk_size)) {
        const int shift = std::countr_zero(chunk_size);
        for (u64 i = 0; i < documents; ++i) count += (offsets[i + 1] - offsets[i] + chunk_size - 1) >> shift;
    } else {
        for (u64 i = 0; i < documents; ++i) count += blocks_for(offsets[i + 1] - offsets[i], chunk_size);
    }
    return count;
}
// Of the pieces of a text that are merged in the same way.
inline u64 most_misses(u32 bin, u64 length, u64 pieces) { return least(length / shortest_of(bin), pieces); }

// The most memory a batch takes, without a matrix, whose size is known only after counting. Reached if chains never meet
// and every byte is a token; typical texts take a third.
inline u64 most_memory(const DeviceModel& model, const crayon_gpu_batch& batch) {
    const u64 documents = batch.document_count, length = batch.offsets[documents];
    const u64 rows = 8 * (3 * documents + documents / kScanTile) + 4096;
    if (batch.output == CRAYON_GPU_BYTES) {
        const u64 tokens = 4 + 4 + 8;  // id, length, offset
        return rows + length * (tokens + 1);
    }
    if (model.kind == CRAYON_GPU_DNA) {
        const u64 tiles = blocks_for(length, DigitTile::kSize) + 1;
        // Ids twice, in case the k-mers are not regular.
        return rows + 8 * documents + length * (1 + 2 * u64{batch.id_width}) + 8 * 8 * tiles;
    }
    const u64 chunks = length / kSmallestChunk + documents + 1;
    const u64 per_chunk = 8 + 8 + 4 + 4 + 1 + 4 + 4 + 8;
    u64 per_byte = 1 + 4 + 4 + 4 + u64{batch.id_width};  // text, stage, two exit maps, ids
    const u64 per_piece = 8 + 4 + 4 + 8;                 // offset, id, number of ids, offset of the ids
    if (model.kind == CRAYON_GPU_WORD_PIECE) {
        per_byte -= 2 * 4;  // no exit maps
        return rows + 16 * documents + chunks * per_chunk + length * (per_byte + per_piece) + chunks / 64 + length / 64;
    }
    if (model.kind == CRAYON_GPU_BPE) {
        u64 lists = 0;  // an index for each piece that may be merged
        for (u32 bin = 0; bin < kBins; ++bin) lists += 8 * most_misses(bin, length, length);
        if (model.joined) per_byte -= 2 * 4;  // no exit maps
        return rows + 16 * documents + chunks * per_chunk + length * (per_byte + per_piece) + chunks / 64 + lists + length / 64;
    }
    return rows + 8 * documents + chunks * per_chunk + length * per_byte + chunks / 64;
}

}  // namespace crayon::gpu
