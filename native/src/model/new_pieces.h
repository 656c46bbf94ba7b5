// The new pieces of a batch: their ids are found or made in stages, each of which prefetches for all pieces before the next
// one reads, and then inserted between the ids of the known pieces.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/buffer.h"
#include "crayon/layout/cartridge.h"
#include "model/known_pieces.h"

namespace crayon {

// The longest piece that a model is asked to prefetch.
inline constexpr u32 kLongestPrefetched = 24;

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
        : model_(model), text_(text), scratch_(scratch), memory_(scratch.memory) {}

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
    // The number of ids of all these pieces.
    u32 id_count() const { return id_count_; }
    // Spreads the `known` ids of the batch and inserts the others between them.
    void put_between(u32* ids, u32 known);
    // Remembers the pieces that were not known. Ends the batch.
    void keep();

private:
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
    bool make_waiting();

    const Model& model_;
    const u8* const text_;
    Scratch& scratch_;
    PieceMemory& memory_;
    u32 id_count_ = 0, count_ = 0, waiting_count_ = 0;
    u32* next_ids_ = nullptr;
    bool is_stuck_ = false;
    u32 waiting_[kMostNewPieces];
};

template <class Model>
bool NewPieces<Model>::resolve(u32 count) {
    u32 capacity = 0;
    for (u32 i = 0; i < count; ++i) {
        capacity += std::max(pieces()[i].length, PieceMemory::kMostIds);
        waiting_[i] = i;
    }
    if (!scratch_.new_pieces.ids.resize(capacity)) return false;
    next_ids_ = scratch_.new_pieces.ids.data();
    count_ = waiting_count_ = count;
    id_count_ = 0;

    for_waiting([&](NewPiece& piece) {
        const PieceMemory::Found found = memory_.find(piece.key, bytes(piece));
        if (found.ids) return piece.is_known = take(piece, found.ids, found.count);
        if constexpr (Model::kFindsWhole) {
            if (piece.length <= kLongestPrefetched) model_.prefetch(bytes(piece), piece.length);
        }
        return false;
    });
    if constexpr (Model::kFindsWhole) {
        for_waiting([&](NewPiece& piece) {
            const u32 id = model_.find(bytes(piece), piece.length);
            return id != layout::kNone && take(piece, &id, 1);
        });
    }
    if (waiting_count_ > 0 && !make_waiting()) return false;
    for (u32 i = 0; i < count; ++i) id_count_ += pieces()[i].count;
    return true;
}

// A piece that occurs twice in the batch is made once.
template <class Model>
bool NewPieces<Model>::make_waiting() {
    UnmadePiece unmade[kMostNewPieces];
    u32 makers[kMostNewPieces], unmade_count = 0;
    u16* const same = scratch_.new_pieces.same.data();
    const u32 mask = 2 * std::bit_ceil(waiting_count_) - 1;
    std::memset(same, 0, (mask + 1) * sizeof(u16));
    for (u32 k = 0; k < waiting_count_; ++k) {
        NewPiece& piece = pieces()[waiting_[k]];
        u16& slot = same[piece.key.hash() >> 32 & mask];
        if (slot != 0) {
            const UnmadePiece& other = unmade[slot - 1];
            if (other.length == piece.length && std::memcmp(other.bytes, bytes(piece), piece.length) == 0) {
                makers[k] = slot - 1u;
                piece.is_known = true;  // together with the other one
                continue;
            }
        }
        makers[k] = unmade_count;
        unmade[unmade_count++] = {bytes(piece), piece.length, next_ids_, 0};
        slot = static_cast<u16>(unmade_count);
        next_ids_ += piece.length;
    }
    if (!model_.make_all(unmade, unmade_count, scratch_)) return false;
    for (u32 k = 0; k < waiting_count_; ++k) {
        NewPiece& piece = pieces()[waiting_[k]];
        piece.ids = unmade[makers[k]].ids;
        piece.count = unmade[makers[k]].count;
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
        if (!piece.is_known) memory_.keep(piece.key, bytes(piece), piece.ids, piece.count);
    }
}

}  // namespace crayon
