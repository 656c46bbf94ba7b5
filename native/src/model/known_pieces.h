// The ids of pieces that are remembered: the inner loops of encoding.
#pragma once

#include <cstddef>
#include <cstring>

#include "model/piece_memory.h"
#include "platform/prefetch.h"

namespace crayon {

// A piece that its home does not have.
struct NewPiece {
    PieceMemory::Key key;
    u32 start, length;
    u32 before;      // ids of the known pieces before it in the batch
    u32 count;       // number of its ids
    const u32* ids;  // nullptr until they are known
    bool is_known;   // need not be kept
};
inline constexpr u32 kMostNewPieces = 256;  // per batch

// The pieces up to one that is too long, or that its home does not have.
struct Hits {
    const u32* boundary;  // of that piece
    u32 start;            // its beginning
    u32 ids;              // written, or counted
};

// Copies eight at a time, of which PieceMemory has as many: one step for most pieces.
inline constexpr u32 kCopiedIds = PieceMemory::kReadableIds;
inline void copy_ids(const u32* from, u32 count, u32* to) {
    for (u32 i = 0; i < count; i += kCopiedIds) std::memcpy(to + i, from + i, kCopiedIds * sizeof(u32));
}

// The loop for few pieces. A separate function, so that compilers, including those in WebAssembly
// runtimes, keep its state in registers. All `capacity` of `ids` may be overwritten.
template <bool kCountOnly>
[[gnu::noinline]] Hits hits_of(const PieceMemory& memory, const u8* text, u32 start, const u32* boundary, const u32* end,
                               u32* ids, u32 capacity) {
    constexpr u32 kFew = PieceMemory::kMostIds;
    const PieceMemory::Table table = memory.table();
    u32 written = 0;
    for (; boundary != end && capacity - written >= kFew; ++boundary) {
        const u32 length = *boundary - start;
        if (length > PieceMemory::kLongestPiece) break;
        const PieceMemory::Key key = PieceMemory::key_of(text + start, length);
        const PieceMemory::Entry* const entry = PieceMemory::in(table.home(key), key);
        if (!entry->matches(key)) break;
        if (entry->has_record()) [[unlikely]] {
            const PieceMemory::Found found = memory.ids_of(entry, text + start);
            if (!found.ids || found.count + kCopiedIds > capacity - written) break;
            if constexpr (!kCountOnly) copy_ids(found.ids, found.count, ids + written);
            written += found.count;
        } else {
            if constexpr (!kCountOnly) std::memcpy(ids + written, entry->ids, sizeof entry->ids);
            written += entry->count();
        }
        start = *boundary;
    }
    return {boundary, start, written};
}

// Pieces prefetched ahead (32 was the best of 8, 16 and 32; 2026-11), and the ids that may be overwritten for them.
inline constexpr u32 kKnownAhead = 32, kKnownCapacity = kKnownAhead * PieceMemory::kMostIds;

// The same for a batch of pieces, which covers nearly all pieces of longer texts: pieces that their homes do not have do not end
// it but are noted as new. A group's homes are prefetched before the previous group's are read; otherwise reads would wait for a
// cache shared with other work on the machine.
struct KnownAndNew {
    Hits known;
    u32 fresh;  // pieces
};

struct PieceAhead {
    PieceMemory::Key key;
    PieceMemory::Entry* home;
};

// Prefetches the homes of pieces. `start`: of the first one.
[[gnu::noinline]] inline void look_ahead(PieceMemory::Table table, const u8* text, u32 start, const u32* boundary, const u32* end,
                                         PieceAhead* ahead) {
    for (; boundary != end; ++boundary, ++ahead) {
        const u32 length = *boundary - start;
        if (length <= PieceMemory::kLongestKeyed) [[likely]] {
            ahead->key = PieceMemory::short_key(text + start, length);
        } else if (length <= PieceMemory::kLongestPiece) {
            ahead->key = PieceMemory::long_key(text + start, length);
        } else {
            ahead->key = {0, 1};  // of no entry
        }
        ahead->home = table.home(ahead->key);
        prefetch(ahead->home);
        start = *boundary;
    }
}

template <bool kCountOnly>
[[gnu::noinline]] KnownAndNew known_of(const PieceMemory& memory, const u8* text, u32 start, const u32* boundary, const u32* end,
                                       u32* ids, u32 capacity, NewPiece* fresh) {
    using Entry = PieceMemory::Entry;
    PieceAhead groups[2][kKnownAhead];
    const PieceMemory::Table table = memory.table();
    const auto group_end = [&](const u32* from) {
        return from + (static_cast<size_t>(end - from) < kKnownAhead ? end - from : kKnownAhead);
    };
    u32 written = 0, count = 0;
    if (boundary != end) look_ahead(table, text, start, boundary, group_end(boundary), groups[0]);
    for (u32 current = 0; boundary != end && capacity - written >= kKnownCapacity; current ^= 1) {
        const u32* const last = group_end(boundary);
        look_ahead(table, text, last[-1], last, group_end(last), groups[current ^ 1]);
        const PieceAhead* const group = groups[current];
        const PieceAhead* const group_last = group + (last - boundary);
        for (const PieceAhead* piece = group; piece != group_last; ++piece) {
            const Entry* const entry = PieceMemory::in(piece->home, piece->key);
            const bool is_known = entry->matches(piece->key);
            if (is_known && !entry->has_record()) [[likely]] {
                if constexpr (!kCountOnly) std::memcpy(ids + written, entry->ids, sizeof entry->ids);
                written += entry->count();
                continue;
            }
            const u32* const at = boundary + (piece - group);
            const u32 begin = piece == group ? start : at[-1], length = *at - begin;
            if (is_known) {
                const PieceMemory::Found found = memory.ids_of(entry, text + begin);
                if (found.ids && capacity - written >= found.count + kKnownCapacity) {
                    if constexpr (!kCountOnly) copy_ids(found.ids, found.count, ids + written);
                    written += found.count;
                    continue;
                }
            } else {
                prefetch(table.other(piece->home));
            }
            // Empty: the previous token extends over it.
            if (count == kMostNewPieces || length - 1 >= PieceMemory::kLongestPiece) return {{at, begin, written}, count};
            fresh[count++] = {piece->key, begin, length, written, 0, nullptr, false};
        }
        boundary = last;
        start = last[-1];
    }
    return {{boundary, start, written}, count};
}

}  // namespace crayon
