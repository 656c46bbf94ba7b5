// Encodes pieces to ids, for any model: known pieces get their ids from a cache, new ones from the model.
//
// The caches hold the model's results, and a hit is exact (short_piece_cache.h, long_piece_cache.h), so they never change a
// result. A Model has
//   Scratch             PieceScratch, or a type derived from it
//   make(piece, length, limit, scratch, &end)
//                       puts the ids of a piece into scratch.ids, and their end into `end`: at `length`; before it, if
//                       a character there has no id; or after it, up to `limit`, if the last token of a piece that was
//                       cut anywhere ends there. False if memory is short
//   kFindsWhole         whether one probe finds the id of most pieces:
//   find(piece, length)                  the id of a piece that is one token, if the probe finds it; else kNone
//   prefetch(piece, length)              prefetches the memory that `find` will read. length 1 … 24
//   kMakesTogether      whether several pieces are encoded faster together:
//   make_all(pieces, count, scratch)     `make` for each UnmadePiece (new_pieces.h), all of it. False if memory is short
//
// Together, a batch of pieces is encoded in stages: known pieces first, with cache entries prefetched some pieces ahead;
// then, for the new ones, each stage prefetches for all of them before the next stage waits. One by one, two thirds of the
// time of known pieces is spent waiting for entries when other work shares the last-level cache: together, 10 MB seen again
// take 0.65 to 0.85 times as long, 30 KB 0.95 times (2026-11).
#pragma once

#include <cstddef>
#include <cstring>

#include "base/buffer.h"
#include "crayon/layout/cartridge.h"
#include "model/known_pieces.h"
#include "model/long_piece_cache.h"
#include "model/new_pieces.h"
#include "model/segment_words.h"
#include "model/short_piece_cache.h"

namespace crayon {

// The working memory of one thread.
struct PieceScratch {
    // The limit of both caches in bytes (kCacheBytes at first); a larger cache is freed. It is divided in proportion to
    // their shares of kCacheBytes; from twice kCacheBytes on, they may grow where that pays, the short one less.
    static constexpr u64 kCacheBytes = ShortPieceCache::kMostMemory + LongPieceCache::kMostMemory;
    void set_cache_limit(u64 bytes) {
        const u64 share = bytes < 2 * kCacheBytes ? bytes * ShortPieceCache::kMostMemory / kCacheBytes : bytes / 8 * 3;
        short_pieces.set_limit(share);
        long_pieces.set_limit(bytes - share);
        words.set_limit(bytes);
    }
    size_t cache_bytes() const { return short_pieces.memory() + long_pieces.memory() + words.memory(); }

    ShortPieceCache short_pieces;
    LongPieceCache long_pieces;
    Buffer<u32> ids;  // of the piece the model encoded last
    Buffer<u8> work;  // the model's, for long pieces
    KnownWords words;
    NewPiecesScratch new_pieces;
    bool many_texts = false;  // the text is one of many, whose pieces are all over the caches
};

// Adjacent pieces: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]). With a limit, pieces longer than
// LongPieceCache::kLongestPiece may have been cut anywhere: their last token may extend to the limit, and the next piece
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
    static_assert(kPadding > ShortPieceCache::kLongestPiece && kPadding >= LongPieceCache::kPadding);

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
    static constexpr u32 kAhead = 24, kLocated = 16;  // pieces
    // From this many pieces on, they are encoded together. Many texts of 24 to 128 pieces take 0.9 times as long so where
    // several threads encode, and the same where one does; few that come again and again, 1.05 times (2026-11).
    static constexpr u32 kLeastTogether = 128, kLeastOfMany = 24;
    // From this length on, a piece missing from the short cache is likely to have too many ids for it. Shorter pieces are
    // more likely tokens.
    static constexpr u32 kLikelyLong = 9;

    template <bool kCountOnly>
    bool encode_together(u32* ids, u32 capacity, Progress& at);
    void look_ahead(u32 index, u32 start) const;
    LongPieceCache::Found find_long(u32 index, u32 start);
    [[gnu::noinline]] Ids recall(u32 index, u32 start);

    const Model& model_;
    const PieceSequence pieces_;
    Scratch& scratch_;
    u32 ahead_ = 0;                            // pieces before this one have been prefetched
    u32 located_begin_ = 0, located_end_ = 0;  // the pieces whose locations are in located_, if they are long
    LongPieceCache::Location located_[kLocated];
    u32 single_ = 0;  // the id of a piece that is one token
    u32 end_ = 0;     // the end of the last recalled piece's ids
};

// Prefetches the memory that the next pieces need if they are new. It is scattered over the tables, and waiting for it
// piece by piece takes much of the time of a first text.
template <class Model>
void PieceEncoder<Model>::look_ahead(u32 index, u32 start) const {
    const ShortPieceCache::Table table = scratch_.short_pieces.table();
    struct {
        u32 start, length;
    } fresh[kAhead + 1];
    u32 fresh_count = 0;
    for (; index < ahead_; ++index) {
        const u32 length = pieces_.boundaries[index] - start;
        const bool is_short = length <= ShortPieceCache::kLongestPiece;
        const ShortPieceCache::Key key =
            ShortPieceCache::key_of(pieces_.text + start, is_short ? length : ShortPieceCache::kLongestPiece);
        fresh[fresh_count] = {start, length};
        fresh_count += is_short & !(table.slot(ShortPieceCache::hash_of(key))->key == key);
        start = pieces_.boundaries[index];
    }
    for (u32 i = 0; i < fresh_count; ++i) model_.prefetch(pieces_.text + fresh[i].start, fresh[i].length);
}

// Looks a piece up in the cache of long pieces. Such pieces come in groups: the next ones are looked up with it.
template <class Model>
LongPieceCache::Found PieceEncoder<Model>::find_long(u32 index, u32 start) {
    const u32 length = pieces_.boundaries[index] - start;
    if (length <= ShortPieceCache::kLongestPiece) {
        return scratch_.long_pieces.find(pieces_.text + start, length);
    }
    if (index >= located_end_) {
        const u32 count = pieces_.count - index < kLocated ? pieces_.count - index : kLocated;
        for (u32 i = 0, at = start; i < count; ++i) {
            const u32 end = pieces_.boundaries[index + i];
            const bool is_long = end - at > ShortPieceCache::kLongestPiece && end - at <= LongPieceCache::kLongestPiece;
            located_[i].hash = is_long ? LongPieceCache::hash_of(pieces_.text + at, end - at) : 0;
            at = end;
        }
        scratch_.long_pieces.locate(located_, count);
        located_end_ = index + count;
        located_begin_ = index;
    }
    return scratch_.long_pieces.find(pieces_.text + start, length, located_[index - located_begin_]);
}

// The ids of a piece not found in its slot of the short cache; they are cached for the next time.
template <class Model>
typename PieceEncoder<Model>::Ids PieceEncoder<Model>::recall(u32 index, u32 start) {
    end_ = pieces_.boundaries[index];
    if (end_ <= start) {  // the previous token extends over this piece
        end_ = start;
        return {&single_, 0};
    }
    const u8* const piece = pieces_.text + start;
    const u32 length = end_ - start;
    const bool is_short = length <= ShortPieceCache::kLongestPiece, is_long = length <= LongPieceCache::kLongestPiece;
    ShortPieceCache::Key key;
    u64 hash = 0;
    bool has_many = false;  // has several ids, so it is not a token
    if (is_short) {
        key = ShortPieceCache::key_of(piece, length);
        hash = ShortPieceCache::hash_of(key);
        if (const ShortPieceCache::Entry* entry = scratch_.short_pieces.find(key, hash)) {
            if (!entry->is_reference()) return {entry->ids, entry->count};
            const LongPieceCache::Found found = scratch_.long_pieces.at(entry->record(), entry->version());
            if (found.count > 0) return {found.ids, found.count};
            has_many = true;
        }
    }
    const bool asks_late = Model::kFindsWhole && length < kLikelyLong && !has_many;
    // A piece was found again: from now on it is found at once.
    const auto refer = [&](const LongPieceCache::Found& found) {
        if (is_short) scratch_.short_pieces.refer(key, hash, found.record, scratch_.long_pieces.all().version, found.count);
    };
    if (is_long && !asks_late) {
        const LongPieceCache::Found found = find_long(index, start);
        if (found.count > 0) {
            refer(found);
            return {found.ids, found.count};
        }
    }
    if constexpr (Model::kFindsWhole) {
        // A new piece: more are likely to follow.
        if (kPrefetches && index >= ahead_) {
            ahead_ = pieces_.count - index < kAhead ? pieces_.count : index + kAhead;
            look_ahead(index, start);
        }
        single_ = model_.find(piece, length);
        if (single_ != layout::kNone) {
            if (is_short) {
                scratch_.short_pieces.keep(key, hash, &single_, 1);
            } else if (is_long) {
                scratch_.long_pieces.keep(piece, length, &single_, 1);
            }
            return {&single_, 1};
        }
        if (asks_late) {
            const LongPieceCache::Found found = scratch_.long_pieces.find(piece, length);
            if (found.count > 0) {
                refer(found);
                return {found.ids, found.count};
            }
        }
    }
    u32 made = length;
    const u32 limit = is_long || pieces_.limit < end_ ? length : pieces_.limit - start;
    if (!model_.make(piece, length, limit, scratch_, &made)) return {nullptr, 0};
    const u32* const ids = scratch_.ids.data();
    const u32 count = static_cast<u32>(scratch_.ids.size());
    end_ = start + made;
    if (made < length || !is_long || count == 0) {
        // Not cached.
    } else if (is_short && count <= ShortPieceCache::kMostIds) {
        scratch_.short_pieces.keep(key, hash, ids, count);
    } else {
        scratch_.long_pieces.keep(piece, length, ids, count);
    }
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
        const auto [known, missed] =
            known_of<kCountOnly>(scratch_.short_pieces, scratch_.long_pieces.all(), pieces_.text, at.start, boundaries + at.piece,
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
    if (!scratch_.short_pieces.ready()) return false;
    *progress = {0, 0, pieces_.start, false, false};
    const u8* const text = pieces_.text;
    const u32* const boundaries = pieces_.boundaries;
    const u32 count = pieces_.count;
    u32 piece = 0, written = 0, start = pieces_.start;
    bool is_together = Model::kMakesTogether && count >= (scratch_.many_texts ? kLeastOfMany : kLeastTogether);
    for (;;) {
        if constexpr (Model::kMakesTogether) {
            if (is_together) {
                Progress at = {piece, start, written, false};
                if (!encode_together<kCountOnly>(ids, capacity, at)) return false;
                piece = at.piece;
                start = at.start;
                written = at.written;
                is_together = !at.is_over;
            }
        }
        if (piece < count && boundaries[piece] - start <= ShortPieceCache::kLongestPiece) {
            const KnownTable table = {scratch_.short_pieces.table(), scratch_.long_pieces.all()};
            const Hits hits = hits_of<kCountOnly>(table, text, start, boundaries + piece, boundaries + count,
                                                  ids + (kCountOnly ? 0 : written), capacity - written);
            piece = static_cast<u32>(hits.boundary - boundaries);
            start = hits.start;
            written += hits.ids;
        }
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

}  // namespace crayon
