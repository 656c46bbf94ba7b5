// Encodes pieces to ids, for any model: known pieces get their ids from a cache, new ones from the model.
//
// The memory holds the model's results, and a hit is exact (piece_memory.h), so it never changes a result. A Model has
//   Scratch             PieceScratch, or a type derived from it
//   make(piece, length, limit, scratch, &end)
//                       puts the ids of a piece into scratch.ids, and their end into `end`: at `length`; before it, if
//                       a character there has no id; or after it, up to `limit`, if the last token of a piece that was
//                       cut anywhere ends there. False if memory is short
//   kFindsWhole         whether one probe finds the id of most pieces:
//   find(piece, length)                  the id of a piece that is one token, if the probe finds it; else kNone
//   prefetch(piece, length)              prefetches the memory that `find` will read. length 1 … 24
//   make_all(pieces, count, scratch)
//                       `make` for each UnmadePiece (new_pieces.h), all of it. False if memory is short
//
// Together, a batch of pieces is encoded in stages: known pieces first, with entries prefetched some pieces ahead;
// then, for the new ones, each stage prefetches for all of them before the next stage waits. One by one, two thirds of the
// time of known pieces is spent waiting for entries when other work shares the last-level cache: together, 10 MB seen again
// take 0.65 to 0.85 times as long, 30 KB 0.95 times (2026-11). WebAssembly cannot prefetch, but what is new is found in 0.6 to
// 0.9 of the time there, too: many pieces are merged in lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>

#include "base/buffer.h"
#include "crayon/layout/cartridge.h"
#include "model/known_pieces.h"
#include "model/new_pieces.h"
#include "model/segment_words.h"

namespace crayon {

// The working memory of one thread.
struct PieceScratch {
    // The limit in bytes of all that is remembered; what is larger is freed. Words of raw text have an eighth, 2 MiB at most.
    static constexpr u64 kCacheBytes = u64{16} << 20;
    void set_cache_limit(u64 bytes) {
        const u64 of_words = std::min(std::bit_floor(bytes / 8), u64{2} << 20);
        memory.set_limit(bytes - of_words);
        words.set_limit(of_words);
    }
    size_t cache_bytes() const { return memory.memory() + words.memory(); }

    PieceScratch() { set_cache_limit(kCacheBytes); }

    PieceMemory memory;
    Buffer<u32> ids;  // of the piece the model encoded last
    Buffer<u8> work;  // the model's, for long pieces
    KnownWords words;
    NewPiecesScratch new_pieces;
    bool many_texts = false;  // the text is one of many, whose pieces are all over the memory
};

// Adjacent pieces: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]). With a limit, pieces longer than
// PieceMemory::kLongestPiece may have been cut anywhere: their last token may extend to the limit, and the next piece
// begins at that token's end.
struct PieceSequence {
    const u8* text;
    u32 start;
    const u32* boundaries;
    u32 count;
    u32 limit;  // 0: no token crosses the end of its piece
};

struct PieceProgress {
    u32 pieces;       // encoded
    u32 ids;          // written, or counted
    u32 end;          // their end in the text
    bool overflowed;  // the last piece's ids did not fit: they are in scratch.ids
    bool stuck;       // the character at `end` has no id
};

template <class Model>
class PieceEncoder {
public:
    using Scratch = typename Model::Scratch;

    // Bytes that must be readable after every piece.
    static constexpr size_t kPadding = 16;
    static_assert(kPadding >= PieceMemory::kPadding);

    PieceEncoder(const Model& model, const PieceSequence& pieces, Scratch& scratch)
        : model_(model), pieces_(pieces), scratch_(scratch) {}

    // Encodes pieces until `ids` is full. If the last piece's ids do not fit, none of them is written, and all are in
    // scratch.ids. With kCountOnly nothing is written, and `capacity` limits the count, which exceeds it by one piece's ids
    // at most. False: memory is short.
    template <bool kCountOnly>
    bool encode(u32* ids, u32 capacity, PieceProgress* progress);

private:
    struct Ids {
        const u32* ids;  // nullptr: memory is short
        u32 count;
    };
    struct Progress {
        u32 piece, start, written;
        bool is_over;  // no room for a batch: the rest is encoded one by one
    };
    // From this many pieces on, they are encoded together. Many texts of 24 to 128 pieces take 0.9 times as long so where
    // several threads encode, and the same where one does; few that come again and again, 1.05 times (2026-11).
    static constexpr u32 kLeastTogether = 128, kLeastOfMany = 24;
    template <bool kCountOnly>
    bool encode_together(u32* ids, u32 capacity, Progress& at);
    [[gnu::noinline]] Ids recall(u32 index, u32 start);

    const Model& model_;
    const PieceSequence pieces_;
    Scratch& scratch_;
    u32 single_ = 0;  // the id of a piece that is one token
    u32 end_ = 0;     // the end of the last recalled piece's ids
};

// The ids of a piece that its home does not have; they are remembered for the next time.
template <class Model>
typename PieceEncoder<Model>::Ids PieceEncoder<Model>::recall(u32 index, u32 start) {
    end_ = pieces_.boundaries[index];
    if (end_ <= start) {  // the previous token extends over this piece
        end_ = start;
        return {&single_, 0};
    }
    const u8* const piece = pieces_.text + start;
    const u32 length = end_ - start;
    const bool is_remembered = length <= PieceMemory::kLongestPiece;
    PieceMemory::Key key{};
    if (is_remembered) {
        key = PieceMemory::key_of(piece, length);
        const PieceMemory::Found found = scratch_.memory.find(key, piece);
        if (found.ids) return {found.ids, found.count};
    }
    if constexpr (Model::kFindsWhole) {
        single_ = model_.find(piece, length);
        if (single_ != layout::kNone) {
            if (is_remembered) scratch_.memory.keep(key, piece, &single_, 1);
            return {&single_, 1};
        }
    }
    u32 size = length;
    const u32 limit = is_remembered || pieces_.limit < end_ ? length : pieces_.limit - start;
    if (!model_.make(piece, length, limit, scratch_, &size)) return {nullptr, 0};
    const u32* const ids = scratch_.ids.data();
    const u32 count = static_cast<u32>(scratch_.ids.size());
    end_ = start + size;
    if (size == length && is_remembered) scratch_.memory.keep(key, piece, ids, count);
    return {ids, count};
}

// Encodes batch by batch while the ids of a batch fit.
template <class Model>
template <bool kCountOnly>
bool PieceEncoder<Model>::encode_together(u32* ids, u32 capacity, Progress& at) {
    NewPieces fresh(model_, pieces_.text, scratch_);
    if (!fresh.ready()) return false;
    const u32* const boundaries = pieces_.boundaries;
    while (at.piece < pieces_.count) {
        const u32 left = capacity - at.written;
        at.is_over = left < kKnownCapacity;
        if (at.is_over) return true;
        u32* const out = ids + (kCountOnly ? 0 : at.written);
        const auto [known, missed] = known_of<kCountOnly>(scratch_.memory, pieces_.text, at.start, boundaries + at.piece,
                                                          boundaries + pieces_.count, out, left, fresh.pieces());
        u32 total = known.ids;
        if (missed > 0) {
            if (!fresh.resolve(missed)) return false;
            if (fresh.is_stuck()) {  // one by one, up to that character
                at.is_over = true;
                return true;
            }
            total += fresh.id_count();
            at.is_over = total > left;
            if constexpr (!kCountOnly) {
                if (!at.is_over) fresh.put_between(out, known.ids);
            }
            fresh.keep();
            if (at.is_over) return true;
        }
        const u32 piece = static_cast<u32>(known.boundary - boundaries);
        const bool is_stuck = piece == at.piece;
        at = {piece, known.start, at.written + total, false};
        if (is_stuck) return true;
    }
    return true;
}

template <class Model>
template <bool kCountOnly>
bool PieceEncoder<Model>::encode(u32* ids, u32 capacity, PieceProgress* progress) {
    if (!scratch_.memory.ready()) return false;
    *progress = {0, 0, pieces_.start, false, false};
    const u8* const text = pieces_.text;
    const u32* const boundaries = pieces_.boundaries;
    const u32 count = pieces_.count;
    u32 piece = 0, written = 0, start = pieces_.start;
    bool is_together = count >= (scratch_.many_texts ? kLeastOfMany : kLeastTogether);
    for (;;) {
        if (is_together) {
            Progress at = {piece, start, written, false};
            if (!encode_together<kCountOnly>(ids, capacity, at)) return false;
            piece = at.piece;
            start = at.start;
            written = at.written;
            is_together = !at.is_over;
        }
        const Hits hits = hits_of<kCountOnly>(scratch_.memory, text, start, boundaries + piece, boundaries + count,
                                              ids + (kCountOnly ? 0 : written), capacity - written);
        piece = static_cast<u32>(hits.boundary - boundaries);
        start = hits.start;
        written += hits.ids;
        if (piece == count || written >= capacity) break;
        const Ids found = recall(piece, start);
        if (!found.ids) return false;
        start = end_;
        progress->stuck = start < boundaries[piece];
        ++piece;
        if constexpr (!kCountOnly) {
            if (found.count > capacity - written) {
                if (found.ids != scratch_.ids.data() && !scratch_.ids.assign(found.ids, found.count)) return false;
                progress->overflowed = true;
                break;
            }
            for (u32 i = 0; i < found.count; ++i) ids[written + i] = found.ids[i];
        }
        written += found.count;
        if (progress->stuck) break;
    }
    progress->pieces = piece;
    progress->ids = written;
    progress->end = start;
    return true;
}

// Where the ids of pieces come from: a model, chosen when a tokenizer is made. Several threads may use one at once.
class PieceSource {
public:
    virtual ~PieceSource() = default;
    // Like PieceEncoder; without `ids`, only counts. `scratch` is of the model's type.
    virtual bool encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity,
                        PieceProgress* progress) const = 0;
};

template <class Model>
class ModelSource final : public PieceSource {
public:
    explicit ModelSource(const Model& model) : model_(model) {}

    bool encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity,
                PieceProgress* progress) const override {
        PieceEncoder<Model> encoder(model_, pieces, static_cast<typename Model::Scratch&>(scratch));
        return ids ? encoder.template encode<false>(ids, capacity, progress)
                   : encoder.template encode<true>(ids, capacity, progress);
    }

private:
    const Model model_;
};

// nullptr if memory is short.
template <class Model>
PieceSource* source_of(const Model& model) {
    return new (std::nothrow) ModelSource<Model>(model);
}

}  // namespace crayon
