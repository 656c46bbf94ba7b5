// The ids of pieces in the cache of short pieces: the inner loops of encoding.
#pragma once

#include <cstddef>
#include <cstring>

#include "model/long_piece_cache.h"
#include "model/short_piece_cache.h"
#include "platform/prefetch.h"

namespace crayon {

// A piece not found in its slot.
struct NewPiece {
    u32 start, length;
    u32 before;      // ids of the known pieces before it in the batch
    u32 count;       // number of its ids
    const u32* ids;  // nullptr until they are known
    u64 hash;        // of LongPieceCache, once looked up there
    bool is_cached;
};
inline constexpr u32 kMostNewPieces = 256;  // per batch

// The pieces up to one that is long or not in its slot of the short cache.
struct Hits {
    const u32* boundary;  // of that piece
    u32 start;            // its beginning
    u32 ids;              // written, or counted
};

// The tables the loops read: entries and, for more ids than an entry has room for, the records that they refer to. Valid
// until either cache keeps a piece.
struct KnownTable {
    ShortPieceCache::Table entries;
    LongPieceCache::Records records;

    // The ids of a reference entry; nullptr if they may have moved.
    const u32* more_ids(const ShortPieceCache::Entry* entry) const {
        return entry->version() == records.version ? records.ids_at(entry->record(), entry->key.length()) : nullptr;
    }
};

inline constexpr u32 kCopiedIds = ShortPieceCache::kMostIds + 1;  // plus their count: one move of sixteen bytes
// Copies four at a time; the last four may be copied twice. count > kMostIds
inline void copy_more_ids(const u32* from, u32 count, u32* to) {
    for (u32 i = 0; i + kCopiedIds < count; i += kCopiedIds) std::memcpy(to + i, from + i, kCopiedIds * sizeof(u32));
    std::memcpy(to + count - kCopiedIds, from + count - kCopiedIds, kCopiedIds * sizeof(u32));
}

// The loop for few pieces, and for browser modules. A separate function, so that compilers, including those in WebAssembly
// runtimes, keep its state in registers. All `capacity` of `ids` may be overwritten.
template <bool kCountOnly>
[[gnu::noinline]] Hits hits_of(KnownTable table, const u8* text, u32 start, const u32* boundary, const u32* end, u32* ids,
                               u32 capacity) {
    using Entry = ShortPieceCache::Entry;
    static_assert(offsetof(Entry, count) == offsetof(Entry, ids) + sizeof(Entry::ids));
    if (capacity >= ShortPieceCache::kMore) capacity = ShortPieceCache::kMore - 1;
    u32 written = 0;
    for (;;) {
        const Entry* entry = nullptr;
        for (; boundary != end && written + kCopiedIds <= capacity; ++boundary) {
            const u32 length = *boundary - start;
            if (length > ShortPieceCache::kLongestPiece) return {boundary, start, written};
            const ShortPieceCache::Key key = ShortPieceCache::key_of(text + start, length);
            entry = table.entries.slot(ShortPieceCache::hash_of(key));
            if (!(entry->key == key)) return {boundary, start, written};
            if constexpr (!kCountOnly) std::memcpy(ids + written, entry->ids, kCopiedIds * sizeof(u32));
            written += entry->count;
            start = *boundary;
        }
        if (!ShortPieceCache::kRefers || written < ShortPieceCache::kMore) return {boundary, start, written};
        // The last entry was a reference.
        written -= entry->count;
        const u32* const more = table.more_ids(entry);
        const u32 count = entry->referred();
        if (!more || count > capacity - written) return {boundary - 1, start - entry->key.length(), written};
        if constexpr (!kCountOnly) copy_more_ids(more, count, ids + written);
        written += count;
    }
}

// Pieces prefetched ahead (32 was the best of 8, 16 and 32; 2026-11), and the ids that may be overwritten for them.
inline constexpr u32 kKnownAhead = 32, kKnownCapacity = kKnownAhead * kCopiedIds;

// The same for a batch of pieces, which covers nearly all pieces of longer texts: pieces that are long, or not in their
// slots, do not end it but are noted as new. A group's slots are prefetched before the previous group's slots are read;
// otherwise reads would wait for a cache shared with other work on the machine.
struct KnownAndNew {
    Hits known;
    u32 fresh;  // pieces
};

// Checks whether a piece is cached after all; otherwise notes it. `is_over`: it ends the batch.
struct Note {
    ShortPieceCache& cache;
    NewPiece* pieces;
    u32 count = 0;
    bool is_over = false;

    bool finds(const ShortPieceCache::Key& key, u32 begin, u32 length, u32 before) {
        if (length <= ShortPieceCache::kLongestPiece) {
            const u64 hash = ShortPieceCache::hash_of(key);
            if (cache.is_beside(key, hash)) return true;
            cache.prefetch(hash);
        }
        add(begin, length, before);
        return false;
    }
    void add(u32 begin, u32 length, u32 before) {
        // Empty: the previous token extends over it.
        is_over = count == kMostNewPieces || length == 0 || length > LongPieceCache::kLongestPiece;
        if (!is_over) pieces[count++] = {begin, length, before, 0, nullptr, 0, false};
    }
};

template <bool kCountOnly>
[[gnu::noinline]] KnownAndNew known_of(ShortPieceCache& cache, LongPieceCache::Records records, const u8* text, u32 start,
                                       const u32* boundary, const u32* end, u32* ids, u32 capacity, NewPiece* fresh) {
    constexpr u32 kLongest = ShortPieceCache::kLongestPiece;
    struct Piece {
        ShortPieceCache::Key key;
        const ShortPieceCache::Entry* slot;
    } groups[2][kKnownAhead];
    Note note{cache, fresh};
    const KnownTable table = {cache.table(), records};
    const u32* const first = boundary;
    const auto start_of = [&](const u32* piece) { return piece == first ? start : piece[-1]; };
    const auto group_end = [&](const u32* from) {
        return from + (static_cast<size_t>(end - from) < kKnownAhead ? end - from : kKnownAhead);
    };
    u32 ahead = start;
    const auto look_ahead = [&](const u32* from, const u32* to, Piece* group) {
        for (; from != to; ++from, ++group) {
            const u32 length = *from - ahead;
            group->key = ShortPieceCache::key_of(text + ahead, length < kLongest ? length : kLongest);
            group->slot = table.entries.slot(ShortPieceCache::hash_of(group->key));
            prefetch(group->slot);
            if (length > kLongest) group->key.high = ~u64{0};  // matches no entry
            ahead = *from;
        }
    };
    u32 written = 0;
    look_ahead(boundary, group_end(boundary), groups[0]);
    for (u32 current = 0; boundary != end && capacity - written >= kKnownCapacity; current ^= 1) {
        const u32* const last = group_end(boundary);
        look_ahead(last, group_end(last), groups[current ^ 1]);
        for (const Piece* piece = groups[current]; boundary != last; ++boundary, ++piece) {
            if (!(piece->slot->key == piece->key)) [[unlikely]] {
                const u32 begin = start_of(boundary);
                if (!note.finds(piece->key, begin, *boundary - begin, written)) {
                    if (note.is_over) return {{boundary, begin, written}, note.count};
                    continue;
                }
            }
            if (piece->slot->is_reference()) [[unlikely]] {
                const u32 begin = start_of(boundary), count = piece->slot->referred();
                const bool has_room = capacity - written >= count + kKnownCapacity;
                if (const u32* const more = has_room ? table.more_ids(piece->slot) : nullptr) {
                    if constexpr (!kCountOnly) copy_more_ids(more, count, ids + written);
                    written += count;
                } else {
                    note.add(begin, *boundary - begin, written);
                    if (note.is_over) return {{boundary, begin, written}, note.count};
                }
                continue;
            }
            if constexpr (!kCountOnly) std::memcpy(ids + written, piece->slot->ids, kCopiedIds * sizeof(u32));
            written += piece->slot->count;
        }
    }
    return {{boundary, start_of(boundary), written}, note.count};
}

}  // namespace crayon
