// The new pieces of a batch: their ids are found or made in stages, each of which prefetches for all pieces before the next
// one reads, and then inserted between the ids of the known pieces.
#pragma once

#include <bit>
#include <cstring>

#include "base/buffer.h"
#include "model/known_pieces.h"
#include "model/long_piece_cache.h"
#include "model/short_piece_cache.h"

namespace crayon {

// The working memory of one thread.
struct NewPiecesScratch {
    Buffer<NewPiece> pieces;
    Buffer<u16> same;  // by hash: the index of a piece being made, + 1
    Buffer<u32> ids;
};

// A piece for a model to make.
struct UnmadePiece {
    const u8* bytes;
    u32 length;
    u32* ids;   // space for `length`
    u32 count;  // number of ids; 0: a character of the piece has no id
};

// The new pieces of successive batches. Model as in piece_encoder.h.
template <class Model>
class NewPieces {
public:
    using Scratch = typename Model::Scratch;

    NewPieces(const Model& model, const u8* text, Scratch& scratch)
        : model_(model), text_(text), scratch_(scratch), short_(scratch.short_pieces), long_(scratch.long_pieces) {}

    // Allocates the memory on first use; false if memory is short.
    bool ready() {
        return scratch_.new_pieces.pieces.resize(kMostNewPieces) && scratch_.new_pieces.same.resize(2 * kMostNewPieces);
    }

    // Where known_of notes the pieces of the next batch.
    NewPiece* pieces() { return scratch_.new_pieces.pieces.data(); }

    // Finds or makes the ids of `count` pieces; false if memory is short.
    bool resolve(u32 count);
    // Whether a character has no id: the batch cannot be encoded.
    bool is_stuck() const { return is_stuck_; }
    // The number of ids, and of pieces made.
    u32 id_count() const { return id_count_; }
    // Spreads the `known` ids of the batch and inserts the others between them.
    void put_between(u32* ids, u32 known);
    // Caches the pieces that were not cached. Ends the batch.
    void keep();

private:
    static bool is_short(const NewPiece& piece) { return piece.length <= ShortPieceCache::kLongestPiece; }
    const u8* bytes(const NewPiece& piece) const { return text_ + piece.start; }

    // Passes each piece with unknown ids to `stage`, which returns whether they are known now.
    template <class Stage>
    void for_waiting(const Stage& stage) {
        u32 left = 0;
        for (u32 k = 0; k < waiting_count_; ++k) {
            const u32 i = waiting_[k];
            waiting_[left] = i;
            left += !stage(pieces()[i]);
        }
        waiting_count_ = left;
    }
    bool take(NewPiece& piece, const u32* ids, u32 count) {
        for (u32 i = 0; i < count; ++i) next_ids_[i] = ids[i];
        piece.ids = next_ids_;
        piece.count = count;
        next_ids_ += count;
        return true;
    }
    bool take_known(NewPiece& piece, const LongPieceCache::Found& found) {
        if (found.count == 0) return false;
        piece.ids = found.ids;
        piece.count = found.count;
        return piece.is_cached = true;
    }
    // A piece of the long cache was found again: from now on it is found at once.
    void refer(const NewPiece& piece, u32 record) {
        if (!is_short(piece)) return;
        const ShortPieceCache::Key key = ShortPieceCache::key_of(bytes(piece), piece.length);
        short_.refer(key, ShortPieceCache::hash_of(key), record, long_.all().version, piece.count);
    }
    bool take_token(NewPiece& piece) {
        const u32 id = model_.find(bytes(piece), piece.length);
        return id != layout::kNone && take(piece, &id, 1);
    }
    void ask_long(NewPiece& piece) {
        piece.hash = LongPieceCache::hash_of(bytes(piece), piece.length);
        long_.prefetch_slot(piece.hash);
    }
    bool make_waiting();

    const Model& model_;
    const u8* const text_;
    Scratch& scratch_;
    ShortPieceCache& short_;
    LongPieceCache& long_;
    u32 count_ = 0, id_count_ = 0, waiting_count_ = 0;
    u32* next_ids_ = nullptr;
    bool is_stuck_ = false;
    u32 waiting_[kMostNewPieces];
};

template <class Model>
bool NewPieces<Model>::resolve(u32 count) {
    u32 capacity = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 length = pieces()[i].length;
        capacity += length > ShortPieceCache::kMostIds ? length : ShortPieceCache::kMostIds;
        waiting_[i] = i;
    }
    if (!scratch_.new_pieces.ids.resize(capacity)) return false;
    next_ids_ = scratch_.new_pieces.ids.data();
    count_ = waiting_count_ = count;
    id_count_ = 0;

    constexpr u32 kLongestPrefetched = 24;
    constexpr bool kFindsWhole = Model::kFindsWhole;
    for_waiting([&](NewPiece& piece) {
        if (is_short(piece)) {
            const ShortPieceCache::Key key = ShortPieceCache::key_of(bytes(piece), piece.length);
            if (const ShortPieceCache::Entry* entry = short_.find(key, ShortPieceCache::hash_of(key))) {
                if (!entry->is_reference()) {
                    piece.is_cached = true;
                    return take(piece, entry->ids, entry->count);
                }
                if (take_known(piece, long_.at(entry->record(), entry->version()))) return true;
            }
            if constexpr (kFindsWhole) {
                model_.prefetch(bytes(piece), piece.length);
                return false;
            }
        }
        ask_long(piece);
        return false;
    });
    for_waiting([&](NewPiece& piece) {
        if constexpr (kFindsWhole) {
            if (is_short(piece)) {
                if (take_token(piece)) return true;
                ask_long(piece);
                return false;
            }
        }
        long_.prefetch_record(piece.hash);
        return false;
    });
    for_waiting([&](NewPiece& piece) {
        const LongPieceCache::Found found = long_.find(bytes(piece), piece.length, piece.hash);
        if (take_known(piece, found)) {
            refer(piece, found.record);
            return true;
        }
        if constexpr (kFindsWhole) {
            if (!is_short(piece) && piece.length <= kLongestPrefetched) model_.prefetch(bytes(piece), piece.length);
        }
        return false;
    });
    if constexpr (kFindsWhole) for_waiting([&](NewPiece& piece) { return !is_short(piece) && take_token(piece); });
    if (waiting_count_ > 0 && !make_waiting()) return false;
    for (u32 i = 0; i < count; ++i) id_count_ += pieces()[i].count;
    return true;
}

// A piece that occurs twice in the batch is made once.
template <class Model>
bool NewPieces<Model>::make_waiting() {
    UnmadePiece made[kMostNewPieces];
    u32 makers[kMostNewPieces], made_count = 0;
    u16* const same = scratch_.new_pieces.same.data();
    const u32 mask = 2 * std::bit_ceil(waiting_count_) - 1;
    std::memset(same, 0, (mask + 1) * sizeof(u16));
    for (u32 k = 0; k < waiting_count_; ++k) {
        NewPiece& piece = pieces()[waiting_[k]];
        u16& slot = same[piece.hash & mask];
        if (slot != 0) {
            const UnmadePiece& other = made[slot - 1];
            if (other.length == piece.length && std::memcmp(other.bytes, bytes(piece), piece.length) == 0) {
                makers[k] = slot - 1u;
                piece.is_cached = true;  // together with the other one
                continue;
            }
        }
        makers[k] = made_count;
        made[made_count++] = {bytes(piece), piece.length, next_ids_, 0};
        slot = static_cast<u16>(made_count);
        next_ids_ += piece.length;
    }
    if (!model_.make_all(made, made_count, scratch_)) return false;
    for (u32 k = 0; k < waiting_count_; ++k) {
        NewPiece& piece = pieces()[waiting_[k]];
        piece.ids = made[makers[k]].ids;
        piece.count = made[makers[k]].count;
        is_stuck_ |= piece.count == 0;
    }
    return true;
}

template <class Model>
void NewPieces<Model>::put_between(u32* ids, u32 known) {
    u32 end = known + id_count_;  // ids from here on are in their final positions
    for (u32 i = count_; i-- > 0;) {
        const NewPiece& piece = pieces()[i];
        const u32 after = known - piece.before;
        known -= after;
        end -= after;
        if (after > 16) {
            std::memmove(ids + end, ids + known, after * sizeof(u32));
        } else {
            for (u32 k = after; k-- > 0;) ids[end + k] = ids[known + k];
        }
        end -= piece.count;
        for (u32 k = 0; k < piece.count; ++k) ids[end + k] = piece.ids[k];
    }
}

template <class Model>
void NewPieces<Model>::keep() {
    for (u32 i = 0; i < count_; ++i) {
        const NewPiece& piece = pieces()[i];
        if (piece.is_cached) continue;
        if (is_short(piece) && piece.count <= ShortPieceCache::kMostIds) {
            const ShortPieceCache::Key key = ShortPieceCache::key_of(bytes(piece), piece.length);
            short_.keep(key, ShortPieceCache::hash_of(key), piece.ids, piece.count);
        } else {
            long_.keep(bytes(piece), piece.length, piece.ids, piece.count);
        }
    }
}

}  // namespace crayon
