#include "model/bpe.h"

#include <bit>
#include <cstring>

#include "base/utf8.h"
#include "model/merge_by_rank.h"
#include "model/merge_runs.h"

namespace crayon {

namespace {

// Up to this many units are merged in an array, more in a lane.
constexpr u32 kFew = 24;

// Scripts like Thai: many units, few tokens. (One by one, merging is half as fast as backtracking there, 2026-11. In lanes
// it is faster.)
bool prefers_backtracking(const Characters::Units& units) { return units.count > kFew && 4 * units.open > units.count; }

}  // namespace

Bpe::Bpe(const BpeView& tables, LeastFunction least, Whole whole)
    : t_(tables), lookup_(tables), pairs_(tables), backtracking_(tables), least_(least), whole_(whole) {
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 text[kPadding] = {static_cast<u8>(byte)};
        byte_ids_[byte] = t_.rank_of(token_of(text, 1));
    }
    if (tables.hidden) {
        u32 ids[256];
        for (u32 byte = 0; byte < 256; ++byte) ids[byte] = t_.id_of(byte_ids_[byte]);
        hidden_ = HiddenTokens(tables, ids);
    }
}

// From the ranks that a piece has been merged to; returns how many ids there are.
u32 Bpe::to_ids(const u8* piece, u32 length, u32* ranks, u32 count, u32 capacity) const {
    if (t_.ids) {
        for (u32 i = 0; i < count; ++i) ranks[i] = t_.ids[ranks[i]];
    }
    return hidden_.any() ? hidden_.reveal(piece, length, ranks, count, capacity) : count;
}

// What the tokens of two bytes of ASCII merge to, or kNone.
u32 Bpe::ascii_pair(const u8* bytes, BpeScratch& scratch) const {
    u32& known = scratch.ascii_pairs[u32{bytes[0]} << 7 | bytes[1]];
    if (known == 0) [[unlikely]] {
        const u32 id = pairs_.merged(byte_ids_[bytes[0]], byte_ids_[bytes[1]]);
        known = id == layout::kNone ? 1 : id + 2;
    }
    return known == 1 ? layout::kNone : known - 2;
}

// The rank of each unit and the next. `ascii`: the bytes, if each unit is one byte of ASCII; else nullptr.
void Bpe::rank_units(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, u32* ranks) const {
    if (!ascii) {
        pairs_.merged_all(units, count, ranks);
        return;
    }
    for (u32 i = 0; i + 1 < count; ++i) ranks[i] = ascii_pair(ascii + i, scratch);
}

// Sets the units of a lane, and looks up their pairs.
void Bpe::fill_lane(const u8* ascii, const u32* units, u32 count, BpeScratch& scratch, MergeLanes::Lane& lane) const {
    std::memcpy(lane.units, units, count * sizeof(u32));
    lane.count = count;
    if (ascii) {
        for (u32 i = 0; i + 1 < count; ++i) {
            const u32 id = ascii_pair(ascii + i, scratch);
            lane.keys[i] = MergeLanes::key_of(id < MergeLanes::kNone ? id : MergeLanes::kNone, i);
        }
        return;
    }
    scratch.lanes[0].set_keys(lane, pairs_);
}

// Merges the units in scratch.ids in place; returns the number of tokens.
u32 Bpe::merge_units(const u8* ascii, u32 count, BpeScratch& scratch) const {
    u32* const units = scratch.ids.data();
    if (count <= kFew) {
        u32 ranks[kFew];
        rank_units(ascii, units, count, scratch, ranks);
        return merge_few(units, ranks, count, pairs_);
    }
    scratch.lanes[0].run(
        1, pairs_, least_,
        [&](u32, MergeLanes::Lane& lane) {
            fill_lane(ascii, units, count, scratch, lane);
            return true;
        },
        [&](const MergeLanes::Lane& lane) { count = lane.take(units); });
    return count;
}

// The same for any number of units; 0 if the windows cannot be joined.
u32 Bpe::merge_windows(const u8* ascii, u32 count, BpeScratch& scratch) const {
    u32* const units = scratch.ids.data();
    return scratch.windows[0].merge(units, count, [&](MergeWindows::Window* windows, u32 window_count) {
        scratch.lanes[0].run(
            window_count, pairs_, least_,
            [&](u32 i, MergeLanes::Lane& lane) {
                const u32 at = windows[i].at;
                fill_lane(ascii ? ascii + at : nullptr, units + at, windows[i].size, scratch, lane);
                return true;
            },
            [&](const MergeLanes::Lane& lane) {
                windows[lane.job].begins = lane.left;
                lane.take(windows[lane.job].tokens);
            });
    });
}

bool Bpe::merge(const u8* piece, u32 length, BpeScratch& scratch) const {
    if (t_.priorities) [[unlikely]]
        return merge_by_priority(piece, length, scratch);
    if (!scratch.ids.resize(length)) return false;
    u32* const ids = scratch.ids.data();
    u32 count = length < kFew ? 0 : merge_runs(piece, length, pairs_, byte_ids_, ids);
    if (count == 0) {
        const u8* const ascii = is_ascii(piece, length) ? piece : nullptr;
        u32 units;
        if (ascii) {
            if (scratch.ascii_pairs.empty() && !scratch.ascii_pairs.zeroed(128 * 128)) return false;
            units = length;
            for (u32 i = 0; i < length; ++i) ids[i] = byte_ids_[piece[i]];
        } else {
            if (!scratch.characters.ready(t_)) return false;
            const Characters::Units found = scratch.characters.units(piece, length, pairs_, byte_ids_, ids);
            units = found.count <= MergeLanes::kUnits && prefers_backtracking(found) ? 0 : found.count;
        }
        if (units > kFew && !scratch.lanes.resize(1)) return false;
        if (units > MergeWindows::kUnits) {
            if (!scratch.windows.resize(1)) return false;
            count = merge_windows(ascii, units, scratch);
        } else if (units > 0) {
            count = merge_units(ascii, units, scratch);
        }
    }
    if (count == 0 && !backtracking_.encode(piece, length, scratch.backtracking, ids, &count)) return false;
    scratch.ids.truncate(to_ids(piece, length, ids, count, static_cast<u32>(scratch.ids.size())));
    return true;
}

// Sets the units of a piece and asks for their pairs; false if it has too many, or is better merged another way.
bool Bpe::open_lane(const UnmadePiece& piece, BpeScratch& scratch, MergeLanes::Lane& lane) const {
    u32 units[MergeLanes::kUnits];
    if (is_ascii(piece.bytes, piece.length)) {
        if (piece.length > MergeLanes::kUnits) return false;
        for (u32 i = 0; i < piece.length; ++i) units[i] = byte_ids_[piece.bytes[i]];
        fill_lane(piece.bytes, units, piece.length, scratch, lane);
        return true;
    }
    const Characters::Units found = scratch.characters.units(piece.bytes, piece.length, pairs_, byte_ids_, piece.ids);
    if (found.count == 0 || found.count > MergeLanes::kUnits) return false;
    fill_lane(nullptr, piece.ids, found.count, scratch, lane);
    return true;
}

bool Bpe::make_all(UnmadePiece* pieces, u32 count, BpeScratch& scratch) const {
    if (!scratch.characters.ready(t_)) return false;
    if (scratch.ascii_pairs.empty() && !scratch.ascii_pairs.zeroed(128 * 128)) return false;
    if (!t_.priorities) {
        if (!scratch.lanes.resize(1)) return false;
        scratch.lanes[0].run(
            count, pairs_, least_, [&](u32 i, MergeLanes::Lane& lane) { return open_lane(pieces[i], scratch, lane); },
            [&](const MergeLanes::Lane& lane) {
                UnmadePiece& piece = pieces[lane.job];
                piece.count = to_ids(piece.bytes, piece.length, piece.ids, lane.take(piece.ids), piece.length);
            });
    }
    for (u32 i = 0; i < count; ++i) {
        UnmadePiece& piece = pieces[i];
        if (piece.count > 0) continue;  // it was in a lane
        if (!merge(piece.bytes, piece.length, scratch)) return false;
        piece.count = static_cast<u32>(scratch.ids.size());
        std::memcpy(piece.ids, scratch.ids.data(), piece.count * sizeof(u32));
    }
    return true;
}

}  // namespace crayon
