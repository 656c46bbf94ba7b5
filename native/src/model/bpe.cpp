#include "model/bpe.h"

#include <cstring>

#include "model/merge_by_rank.h"
#include "model/merge_runs.h"
#include "platform/prefetch.h"

namespace crayon {

namespace {

// Units that are merged in an array; more are linked.
constexpr u32 kFew = 24;

// From this length on a piece that is new to the cache of short ones may well have too many ids for it. Below, it is more
// likely a token.
constexpr u32 kLikelyLong = 9;

bool is_ascii(const u8* text, u32 length) {
    u64 high = 0;
    u32 i = 0;
    for (u64 word; i + 8 <= length; i += 8) {
        std::memcpy(&word, text + i, 8);
        high |= word;
    }
    for (; i < length; ++i) high |= text[i];
    return (high & 0x8080808080808080) == 0;
}

// Whether a long piece looks like one character again and again. Backtracking is quick there.
bool looks_repeated(const u8* piece, u32 length) {
    if (length < 64) return false;
    const u8* middle = piece + length / 2;
    while ((*middle & 0xC0) == 0x80 && middle > piece + 8) --middle;
    for (u32 character = 1; character <= 4; ++character) {
        if (std::memcmp(middle - 8, middle - 8 + character, 24) == 0) return true;
    }
    return false;
}

}  // namespace

Bpe::Bpe(const BpeView& tables) : t_(tables), lookup_(tables), pairs_(tables), backtracking_(tables) {
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 text[kPadding] = {static_cast<u8>(byte)};
        byte_ids_[byte] = find(text, 1);
    }
}

// What each unit and the next merge to. `ascii`: the bytes that are the units; nullptr for units of any kind.
void Bpe::rank_units(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, u32* ranks) const {
    if (!ascii) {
        pairs_.merged_all(units, count, ranks);
        return;
    }
    for (u32 i = 0; i + 1 < count; ++i) {
        u32& known = scratch.ascii_pairs[u32{ascii[i]} << 7 | ascii[i + 1]];
        if (known == 0) [[unlikely]] {
            const u32 id = pairs_.merged(units[i], units[i + 1]);
            known = id == layout::kNone ? 1 : id + 2;
        }
        ranks[i] = known == 1 ? layout::kNone : known - 2;
    }
}

// Merges the units that are in scratch.ids; returns how many tokens are there instead.
u32 Bpe::merge_units(const u8* ascii, u32 count, BpeScratch& scratch) const {
    u32 ranks[RankMerger::kUnits];
    u32* const units = scratch.ids.data();
    rank_units(ascii, units, count, scratch, ranks);
    if (count <= kFew) return merge_few(units, ranks, count, pairs_);
    RankMerger merger;
    return merger.merge(units, ranks, count, pairs_);
}

// The same for any number of units, window by window; 0 if that does not work out.
//
// What the end of a window cuts off changes only the tokens near it. So the tokens of a window are taken but for the last
// few, and the next window begins with the last of those that look settled. If it comes out the same there, both windows
// are right up to it and from it on: every two neighbours stand in the encoding of one window, and a sequence of tokens
// is an encoding if every two neighbours are (see backtracking.h).
u32 Bpe::merge_windows(const u8* ascii, u32 count, BpeScratch& scratch) const {
    constexpr u32 kMargin = 12;
    u32* const ids = scratch.ids.data();  // tokens are written behind what has been read
    u32 window[RankMerger::kUnits], ranks[RankMerger::kUnits];
    RankMerger merger;
    u32 written = 0, expected = layout::kNone;
    for (u32 at = 0;;) {
        const u32 size = count - at < RankMerger::kUnits ? count - at : RankMerger::kUnits;
        std::memcpy(window, ids + at, size * sizeof(u32));
        rank_units(ascii ? ascii + at : nullptr, window, size, scratch, ranks);
        const u32 tokens = merger.merge(window, ranks, size, pairs_);
        if (expected != layout::kNone && window[0] != expected) return 0;
        if (at + size == count) {
            std::memcpy(ids + written, window, tokens * sizeof(u32));
            return written + tokens;
        }
        u32 last = tokens - 1;  // the last one that ends before the margin
        while (last > 0 && (last + 1 == tokens || merger.begin(last + 1) > size - kMargin)) --last;
        if (last == 0) return 0;
        std::memcpy(ids + written, window, last * sizeof(u32));
        written += last;
        expected = window[last];
        at += merger.begin(last);
    }
}

bool Bpe::merge(const u8* piece, u32 length, BpeScratch& scratch) const {
    if (!scratch.ids.resize(length)) return false;
    u32* const ids = scratch.ids.data();
    u32 count = merge_runs(piece, length, pairs_, byte_ids_, ids);
    if (count == 0) {
        const u8* const ascii = is_ascii(piece, length) ? piece : nullptr;
        u32 units;
        if (looks_repeated(piece, length)) {
            units = 0;
        } else if (ascii) {
            if (scratch.ascii_pairs.empty() && !scratch.ascii_pairs.zeroed(128 * 128)) return false;
            units = length;
            for (u32 i = 0; i < length; ++i) ids[i] = byte_ids_[piece[i]];
        } else {
            if (!scratch.characters.ready(t_)) return false;
            const Characters::Units found = scratch.characters.units(piece, length, pairs_, byte_ids_, ids);
            // Thai and its like: many units, few tokens. (Half as fast as backtracking there, 2026-11.)
            units = length > kFew && 4 * found.open > found.count ? 0 : found.count;
        }
        if (units > 0) {
            count = units <= RankMerger::kUnits ? merge_units(ascii, units, scratch)
                                                : merge_windows(ascii, units, scratch);
        }
    }
    if (count == 0 && !backtracking_.encode(piece, length, scratch.backtracking, ids, &count)) return false;
    scratch.ids.truncate(count);
    return true;
}

// Asks for the memory that the next pieces need if they are new or long. It lies all over the tables, and to wait for one
// piece after the other takes a good part of the time of a first text.
void Bpe::look_ahead(const u8* text, u32 start, const u32* boundaries, u32 count, const BpeScratch& scratch) const {
    const ShortPieceCache::Table table = scratch.short_pieces.table();
    struct {
        u32 start, length;
    } fresh[kAhead + 1];
    u32 fresh_count = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 length = boundaries[i] - start;
        const bool is_short = length <= ShortPieceCache::kLongestPiece;
        const ShortPieceCache::Key key =
            ShortPieceCache::key_of(text + start, is_short ? length : ShortPieceCache::kLongestPiece);
        fresh[fresh_count] = {start, length};
        fresh_count += !is_short | !(table.home(ShortPieceCache::hash_of(key))->key == key);
        start = boundaries[i];
    }
    for (u32 i = 0; i < fresh_count; ++i) {
        const u8* const piece = text + fresh[i].start;
        if (fresh[i].length <= ShortPieceCache::kLongestPiece) {
            lookup_.prefetch(piece, fresh[i].length);
        } else if (fresh[i].length <= LongPieceCache::kLongestPiece) {
            scratch.long_pieces.prefetch(piece, fresh[i].length);
        }
    }
}

// The ids of a piece that is not where it most likely would be; they are kept for the next time.
Bpe::Ids Bpe::recall(Pieces& pieces, u32 index, u32 start) const {
    BpeScratch& scratch = pieces.scratch;
    const u8* const piece = pieces.text + start;
    const u32 length = pieces.boundaries[index] - start;
    const bool is_short = length <= ShortPieceCache::kLongestPiece, is_long = length <= LongPieceCache::kLongestPiece;
    ShortPieceCache::Key key;
    u64 hash = 0;
    if (is_short) {
        key = ShortPieceCache::key_of(piece, length);
        hash = ShortPieceCache::hash_of(key);
        if (const ShortPieceCache::Entry* entry = scratch.short_pieces.find(key, hash)) {
            return {entry->ids, entry->count};
        }
    }
    if (is_long && length >= kLikelyLong) {
        const LongPieceCache::Found found = scratch.long_pieces.find(piece, length);
        if (found.count > 0) return {found.ids, found.count};
    }
    // A new piece: more will come.
    if (kPrefetches && index >= pieces.ahead) {
        const u32 left = pieces.count - index, count = left < kAhead ? left : kAhead;
        look_ahead(pieces.text, start, pieces.boundaries + index, count, scratch);
        pieces.ahead = index + count;
    }
    pieces.single = find(piece, length);
    Ids made = {&pieces.single, 1};
    if (pieces.single == layout::kNone) {
        if (length < kLikelyLong) {
            const LongPieceCache::Found found = scratch.long_pieces.find(piece, length);
            if (found.count > 0) return {found.ids, found.count};
        }
        if (!merge(piece, length, scratch)) return {nullptr, 0};
        made = {scratch.ids.data(), static_cast<u32>(scratch.ids.size())};
    }
    if (is_short && made.count <= ShortPieceCache::kMostIds) {
        scratch.short_pieces.keep(key, hash, made.ids, made.count);
    } else if (is_long) {
        scratch.long_pieces.keep(piece, length, made.ids, made.count);
    }
    return made;
}

template <bool kCountOnly>
bool Bpe::encode(const u8* text, u32 start, const u32* boundaries, u32 count, u32* ids, u32 capacity,
                 BpeScratch& scratch, Progress* progress) const {
    if (!scratch.short_pieces.ready()) return false;
    Pieces pieces{text, boundaries, count, 0, 0, scratch};
    *progress = {0, 0, false};
    u32 piece = 0, written = 0;
    for (;;) {
        // Nearly all pieces of most texts pass through this loop: it must stay in registers.
        const ShortPieceCache::Table table = scratch.short_pieces.table();
        for (; piece < count && written + ShortPieceCache::kMostIds <= capacity; ++piece) {
            const u32 length = boundaries[piece] - start;
            if (length > ShortPieceCache::kLongestPiece) break;
            const ShortPieceCache::Key key = ShortPieceCache::key_of(text + start, length);
            const ShortPieceCache::Entry* const entry = table.home(ShortPieceCache::hash_of(key));
            if (!(entry->key == key)) break;
            if constexpr (!kCountOnly) std::memcpy(ids + written, entry->ids, sizeof entry->ids);
            written += entry->count;
            start += length;
        }
        if (piece == count || written >= capacity) break;
        const Ids found = recall(pieces, piece, start);
        if (found.count == 0) return false;
        start = boundaries[piece++];
        if constexpr (!kCountOnly) {
            if (found.count > capacity - written) {
                if (found.ids != scratch.ids.data() && !scratch.ids.assign(found.ids, found.count)) return false;
                progress->spilt = true;
                break;
            }
            for (u32 i = 0; i < found.count; ++i) ids[written + i] = found.ids[i];
        }
        written += found.count;
    }
    progress->pieces = piece;
    progress->ids = written;
    return true;
}

template bool Bpe::encode<false>(const u8*, u32, const u32*, u32, u32*, u32, BpeScratch&, Progress*) const;
template bool Bpe::encode<true>(const u8*, u32, const u32*, u32, u32*, u32, BpeScratch&, Progress*) const;

}  // namespace crayon
