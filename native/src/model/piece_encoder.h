// Pieces to ids, for any model: the ids of known pieces come from a cache, those of new pieces from the model.
//
// The caches keep what the model returned, and a hit is exact (short_piece_cache.h, long_piece_cache.h), so they never
// change a result. A Model has
//   Scratch             PieceScratch, or a type derived from it
//   make(piece, length, limit, scratch, &end)
//                       puts the ids of a piece into scratch.ids, and where they end into `end`: at `length`; before
//                       it, if a character there has no id; or after it, up to `limit`, if the last token of a piece
//                       that was cut anywhere ends there. False if memory is short
//   kFindsWhole         whether one probe finds the id of most pieces:
//   find(piece, length)                  the id of a piece that is one token, if the probe finds it; else kNone
//   kMakesTogether      whether several pieces are encoded faster together:
//   prefetch(piece, length)              prefetches the memory that `find` will read. length 1 … 24
//   make_all(pieces, count, scratch)     `make` for Model::Piece {bytes, length, ids, count}: writes the ids of each to its
//                                        `ids`, which has space for `length`. False if memory is short
//
// Together, a window of pieces is encoded in stages: the known pieces first; then, of those that are new, each stage asks
// for all of them before the next stage waits for an answer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "base/buffer.h"
#include "crayon/layout/cartridge.h"
#include "model/long_piece_cache.h"
#include "model/short_piece_cache.h"
#include "platform/prefetch.h"

namespace crayon {

// The working memory of one thread.
struct PieceScratch {
    ShortPieceCache short_pieces;
    LongPieceCache long_pieces;
    Buffer<u32> ids;  // of the last piece that the model encoded

    // A piece that is not in its slot of the short cache.
    struct Miss {
        u32 start, length;
        u32 before;      // ids of the pieces before it in the window, without those of other misses
        u32 count;       // of its ids
        const u32* ids;  // in made_ids; nullptr as long as they are not known
        u64 hash;
    };
    static constexpr u32 kMisses = 256;
    Buffer<Miss> misses;
    Buffer<u16> same;      // by a hash: a miss + 1
    Buffer<u32> made_ids;  // of the misses
};

// Adjacent pieces: piece k is text[k ? boundaries[k − 1] : start, boundaries[k]). With a limit, pieces longer than
// LongPieceCache::kLongestPiece may have been cut anywhere: their last token may extend to the limit, and the next
// piece begins where that token ends.
struct PieceSequence {
    const u8* text;
    u32 start;
    const u32* boundaries;
    u32 count;
    u32 limit;  // 0: no token crosses the end of its piece
};

struct PieceProgress {
    u32 pieces;  // encoded
    u32 ids;     // written, or counted
    u32 end;     // where in the text they end
    bool overflowed;  // the ids of the last piece did not fit: they are in scratch.ids
    bool stuck;  // a character at `end` has no id
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

    // Encodes pieces until `ids` is full. If the ids of the last one do not fit, none of them is written, and all are
    // in scratch.ids. With kCountOnly nothing is written, and `capacity` limits the number counted: at most the ids of
    // one piece are counted beyond it. False: memory is short.
    template <bool kCountOnly>
    bool encode(u32* ids, u32 capacity, PieceProgress* progress);

private:
    struct Ids {
        const u32* ids;  // nullptr: memory is short
        u32 count;
    };
    using Miss = PieceScratch::Miss;
    struct Progress {
        u32 piece, start, written;
        bool is_tight;  // there is no room for a window
    };
    static constexpr u32 kRoomOfGroup = 16 * (ShortPieceCache::kMostIds + 1);
    static constexpr u32 kLocated = 16;  // pieces
    // From this length on, a piece that is not in the short cache may well have too many ids for it. Shorter ones are
    // more likely tokens.
    static constexpr u32 kLikelyLong = 9;

    template <bool kCountOnly>
    bool encode_together(u32* ids, u32 capacity, Progress& at);
    bool resolve(Miss* misses, u32 count);
    static void put_between(u32* ids, u32 count, u32 total, const Miss* misses, u32 missed);
    LongPieceCache::Found find_long(u32 index, u32 start);
    [[gnu::noinline]] Ids recall(u32 index, u32 start);

    const Model& model_;
    const PieceSequence pieces_;
    Scratch& scratch_;
    u32 located_begin_ = 0, located_end_ = 0;  // the pieces whose places are in located_, if they are long
    LongPieceCache::Place located_[kLocated];
    u32 single_ = 0;  // the id of a piece that is one token
    u32 end_ = 0;     // where the ids of the last recalled piece end
};

// Looks a piece up in the cache of long ones. Such pieces come in groups: the next ones are looked up together with it.
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

// The ids of a piece that is not in its slot of the short cache; they are cached for the next time.
template <class Model>
typename PieceEncoder<Model>::Ids PieceEncoder<Model>::recall(u32 index, u32 start) {
    end_ = pieces_.boundaries[index];
    if (end_ <= start) {  // the last token before it extends over this piece
        end_ = start;
        return {&single_, 0};
    }
    const u8* const piece = pieces_.text + start;
    const u32 length = end_ - start;
    const bool is_short = length <= ShortPieceCache::kLongestPiece, is_long = length <= LongPieceCache::kLongestPiece;
    ShortPieceCache::Key key;
    u64 hash = 0;
    if (is_short) {
        key = ShortPieceCache::key_of(piece, length);
        hash = ShortPieceCache::hash_of(key);
        if (const ShortPieceCache::Entry* entry = scratch_.short_pieces.find(key, hash)) {
            return {entry->ids, entry->count};
        }
    }
    const bool asks_late = Model::kFindsWhole && length < kLikelyLong;
    if (is_long && !asks_late) {
        const LongPieceCache::Found found = find_long(index, start);
        if (found.count > 0) return {found.ids, found.count};
    }
    if constexpr (Model::kFindsWhole) {
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
            if (found.count > 0) return {found.ids, found.count};
        }
    }
    u32 made = length;
    const u32 limit = is_long || pieces_.limit < end_ ? length : pieces_.limit - start;
    if (!model_.make(piece, length, limit, scratch_, &made)) return {nullptr, 0};
    const u32* const ids = scratch_.ids.data();
    const u32 count = static_cast<u32>(scratch_.ids.size());
    end_ = start + made;
    if (made < length || !is_long) {
        // Not cached.
    } else if (is_short && count <= ShortPieceCache::kMostIds) {
        scratch_.short_pieces.keep(key, hash, ids, count);
    } else {
        scratch_.long_pieces.keep(piece, length, ids, count);
    }
    return {ids, count};
}

// The pieces up to one that is long, or is not in its slot of the short cache.
struct Hits {
    const u32* boundary;  // of that piece
    u32 start;            // where it begins
    u32 ids;              // written, or counted
};
constexpr u32 kCopiedIds = ShortPieceCache::kMostIds + 1;  // and their count: one move of sixteen bytes
// Nearly all pieces of most texts pass through this loop. It is a separate function so that compilers, including those
// of WebAssembly hosts, keep its state in registers. All `capacity` of `ids` may be overwritten.
template <bool kCountOnly>
[[gnu::noinline]] Hits hits_of(ShortPieceCache::Table table, const u8* text, u32 start, const u32* boundary,
                               const u32* end, u32* ids, u32 capacity) {
    using Entry = ShortPieceCache::Entry;
    static_assert(offsetof(Entry, count) == offsetof(Entry, ids) + sizeof(Entry::ids));
    u32 written = 0;
    for (; boundary != end && written + kCopiedIds <= capacity; ++boundary) {
        const u32 length = *boundary - start;
        if (length > ShortPieceCache::kLongestPiece) break;
        const ShortPieceCache::Key key = ShortPieceCache::key_of(text + start, length);
        const Entry* const entry = table.slot(ShortPieceCache::hash_of(key));
        if (!(entry->key == key)) break;
        if constexpr (!kCountOnly) std::memcpy(ids + written, entry->ids, kCopiedIds * sizeof(u32));
        written += entry->count;
        start = *boundary;
    }
    return {boundary, start, written};
}

// The same for a window of pieces: those that are long, or not in their slots, do not end it, but are noted as misses. The
// slots of a group of pieces are prefetched before those of the group before it are read.
struct HitsAndMisses {
    Hits hits;
    u32 missed;
};
template <bool kCountOnly>
[[gnu::noinline]] HitsAndMisses known_of(ShortPieceCache& cache, const u8* text, u32 start, const u32* boundary,
                                         const u32* end, u32* ids, u32 capacity, PieceScratch::Miss* misses) {
    using Entry = ShortPieceCache::Entry;
    constexpr u32 kGroup = 16, kLongest = ShortPieceCache::kLongestPiece;
    struct {
        ShortPieceCache::Key key;
        const Entry* slot;
    } groups[2][kGroup];
    const ShortPieceCache::Table table = cache.table();
    const u32* const first = boundary;
    u32 ahead = start;
    const auto look_ahead = [&](const u32* from, const u32* to, auto* group) {
        for (; from != to; ++from, ++group) {
            const u32 length = *from - ahead;
            group->key = ShortPieceCache::key_of(text + ahead, length < kLongest ? length : kLongest);
            group->slot = table.slot(ShortPieceCache::hash_of(group->key));
            prefetch(group->slot);
            if (length > kLongest) group->key.high = ~u64{0};  // not the key of any entry
            ahead = *from;
        }
    };
    const auto group_end = [&](const u32* from) { return from + (static_cast<size_t>(end - from) < kGroup ? end - from : kGroup); };
    u32 written = 0, missed = 0;
    const auto result = [&] {
        return HitsAndMisses{{boundary, boundary == first ? start : boundary[-1], written}, missed};
    };
    look_ahead(boundary, group_end(boundary), groups[0]);
    for (u32 turn = 0; boundary != end; turn ^= 1) {
        const u32* const last = group_end(boundary);
        look_ahead(last, group_end(last), groups[turn ^ 1]);
        const auto* piece = groups[turn];
        if (capacity - written < kGroup * kCopiedIds) return result();
        for (; boundary != last; ++boundary, ++piece) {
            const Entry* const slot = piece->slot;
            if (!(slot->key == piece->key)) [[unlikely]] {
                const u32 begin = boundary == first ? start : boundary[-1], length = *boundary - begin;
                const u64 hash = ShortPieceCache::hash_of(piece->key);
                if (length > kLongest || !cache.is_beside(piece->key, hash)) {
                    if (missed == PieceScratch::kMisses || length > LongPieceCache::kLongestPiece) return result();
                    if (kPrefetches && length <= kLongest) cache.prefetch(hash);
                    misses[missed++] = {begin, length, written, 0, nullptr, 0};
                    continue;
                }
            }
            if constexpr (!kCountOnly) std::memcpy(ids + written, slot->ids, kCopiedIds * sizeof(u32));
            written += slot->count;
        }
    }
    return result();
}

// Finds or makes the ids of new pieces, in stages, and caches them.
template <class Model>
bool PieceEncoder<Model>::resolve(Miss* misses, u32 count) {
    const u8* const text = pieces_.text;
    ShortPieceCache& short_pieces = scratch_.short_pieces;
    LongPieceCache& long_pieces = scratch_.long_pieces;
    const auto is_short = [](const Miss& miss) { return miss.length <= ShortPieceCache::kLongestPiece; };
    const auto key_of = [&](const Miss& miss) { return ShortPieceCache::key_of(text + miss.start, miss.length); };

    u32 room = 0;
    for (u32 i = 0; i < count; ++i) room += misses[i].length > ShortPieceCache::kMostIds ? misses[i].length : ShortPieceCache::kMostIds;
    if (!scratch_.made_ids.resize(room)) return false;
    u32* out = scratch_.made_ids.data();
    const auto take = [&](Miss& miss, const u32* ids, u32 id_count) {
        for (u32 i = 0; i < id_count; ++i) out[i] = ids[i];
        miss.ids = out;
        miss.count = id_count;
        out += id_count;
    };

    u32 waiting[PieceScratch::kMisses], waiting_count = 0;
    for (u32 i = 0; i < count; ++i) {
        Miss& miss = misses[i];
        if (is_short(miss)) {
            const ShortPieceCache::Key key = key_of(miss);
            if (const ShortPieceCache::Entry* entry = short_pieces.find(key, ShortPieceCache::hash_of(key))) {
                take(miss, entry->ids, entry->count);
                continue;
            }
        }
        waiting[waiting_count++] = i;
        if (miss.length <= 24) model_.prefetch(text + miss.start, miss.length);
        miss.hash = LongPieceCache::hash_of(text + miss.start, miss.length);
        long_pieces.prefetch_slot(miss.hash);
    }
    const auto keep_waiting = [&](const auto& is_done) {
        u32 left = 0;
        for (u32 k = 0; k < waiting_count; ++k) {
            const u32 i = waiting[k];
            waiting[left] = i;
            left += !is_done(misses[i]);
        }
        waiting_count = left;
    };
    keep_waiting([&](Miss& miss) {
        if (!is_short(miss)) {
            long_pieces.prefetch_record(miss.hash);
            return false;
        }
        const u32 id = model_.find(text + miss.start, miss.length);
        if (id == layout::kNone) return false;
        take(miss, &id, 1);
        const ShortPieceCache::Key key = key_of(miss);
        short_pieces.keep(key, ShortPieceCache::hash_of(key), &id, 1);
        return true;
    });
    keep_waiting([&](Miss& miss) {
        const LongPieceCache::Found found = long_pieces.find(text + miss.start, miss.length, miss.hash);
        if (found.count > 0) {
            take(miss, found.ids, found.count);
            return true;
        }
        if (is_short(miss)) return false;
        const u32 id = model_.find(text + miss.start, miss.length);
        if (id == layout::kNone) return false;
        take(miss, &id, 1);
        long_pieces.keep(text + miss.start, miss.length, miss.hash, &id, 1);
        return true;
    });
    if (waiting_count == 0) return true;

    // The rest is made. A piece that is new twice is made once.
    typename Model::Piece made[PieceScratch::kMisses];
    u32 makers[PieceScratch::kMisses], made_count = 0;
    const u32 same_mask = 2 * std::bit_ceil(waiting_count) - 1;
    std::memset(scratch_.same.data(), 0, (same_mask + 1) * sizeof(u16));
    for (u32 k = 0; k < waiting_count; ++k) {
        Miss& miss = misses[waiting[k]];
        u16& slot = scratch_.same[miss.hash & same_mask];
        if (slot != 0) {
            const typename Model::Piece& other = made[slot - 1];
            if (other.length == miss.length && std::memcmp(other.bytes, text + miss.start, miss.length) == 0) {
                makers[k] = slot - 1u;
                continue;
            }
        }
        makers[k] = made_count;
        made[made_count++] = {text + miss.start, miss.length, out, 0};
        slot = static_cast<u16>(made_count);
        out += miss.length;
    }
    if (!model_.make_all(made, made_count, scratch_)) return false;
    for (u32 k = 0, next = 0; k < waiting_count; ++k) {
        Miss& miss = misses[waiting[k]];
        const typename Model::Piece& piece = made[makers[k]];
        miss.ids = piece.ids;
        miss.count = piece.count;
        if (makers[k] < next) continue;  // kept already
        ++next;
        if (is_short(miss) && miss.count <= ShortPieceCache::kMostIds) {
            const ShortPieceCache::Key key = key_of(miss);
            short_pieces.keep(key, ShortPieceCache::hash_of(key), miss.ids, miss.count);
        } else {
            long_pieces.keep(text + miss.start, miss.length, miss.hash, miss.ids, miss.count);
        }
    }
    return true;
}

// Encodes window by window, as long as the ids of a window fit.
template <class Model>
template <bool kCountOnly>
bool PieceEncoder<Model>::encode_together(u32* ids, u32 capacity, Progress& at) {
    if (!scratch_.misses.resize(PieceScratch::kMisses) || !scratch_.same.resize(2 * PieceScratch::kMisses)) return false;
    const u32* const boundaries = pieces_.boundaries;
    Miss* const misses = scratch_.misses.data();
    while (at.piece < pieces_.count) {
        const u32 room = capacity - at.written;
        at.is_tight = room < kRoomOfGroup;
        if (at.is_tight) return true;
        u32* const out = ids + (kCountOnly ? 0 : at.written);
        const auto [hits, missed] = known_of<kCountOnly>(
            scratch_.short_pieces, pieces_.text, at.start, boundaries + at.piece, boundaries + pieces_.count, out, room, misses);
        u32 total = hits.ids;
        if (missed > 0) {
            if (!resolve(misses, missed)) return false;
            for (u32 i = 0; i < missed; ++i) total += misses[i].count;
            at.is_tight = total > room;
            if (at.is_tight) return true;
            if constexpr (!kCountOnly) put_between(out, hits.ids, total, misses, missed);
        }
        const u32 piece = static_cast<u32>(hits.boundary - boundaries);
        const bool is_stuck = piece == at.piece;
        at = {piece, hits.start, at.written + total, false};
        if (is_stuck) return true;
    }
    return true;
}

// Moves `count` ids apart to `total`, and puts those of the misses between them.
template <class Model>
void PieceEncoder<Model>::put_between(u32* ids, u32 count, u32 total, const Miss* misses, u32 missed) {
    for (u32 i = missed; i-- > 0;) {
        const Miss& miss = misses[i];
        const u32 behind = count - miss.before;
        std::memmove(ids + total - behind, ids + miss.before, behind * sizeof(u32));
        total -= behind + miss.count;
        count = miss.before;
        for (u32 k = 0; k < miss.count; ++k) ids[total + k] = miss.ids[k];
    }
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
    [[maybe_unused]] Progress at = {};
    for (;;) {
        if constexpr (Model::kMakesTogether) {
            if (!at.is_tight) {
                at = {piece, start, written, false};
                if (!encode_together<kCountOnly>(ids, capacity, at)) return false;
                piece = at.piece;
                start = at.start;
                written = at.written;
            }
        }
        if (piece < count && boundaries[piece] - start <= ShortPieceCache::kLongestPiece) {
            const Hits hits =
                hits_of<kCountOnly>(scratch_.short_pieces.table(), text, start, boundaries + piece, boundaries + count,
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
