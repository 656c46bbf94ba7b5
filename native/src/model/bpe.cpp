#include "model/bpe.h"

#include <cstring>

#include "model/merge_by_rank.h"
#include "model/merge_runs.h"

namespace crayon {

namespace {

// Up to this many units are merged in an array; more are linked.
constexpr u32 kFew = 24;
// So many pairs are looked up without a filter: building it takes as long.
constexpr u32 kFewUnfiltered = 100000;
// A piece of few runs is merged as runs.
constexpr u32 kMostRuns = 6;

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

// Whether a long piece looks like one character repeated. Backtracking is fast there.
bool looks_repeated(const u8* piece, u32 length) {
    if (length < 64) return false;
    const u8* middle = piece + length / 2;
    while ((*middle & 0xC0) == 0x80 && middle > piece + 8) --middle;
    for (u32 character = 1; character <= 4; ++character) {
        if (std::memcmp(middle - 8, middle - 8 + character, 24) == 0) return true;
    }
    return false;
}

// Scripts like Thai: many units, few tokens. (Half as fast as backtracking there, 2026-11.)
bool prefers_backtracking(const Characters::Units& units) {
    return units.count > kFew && 4 * units.open > units.count;
}

}  // namespace

Bpe::Bpe(const BpeView& tables) : t_(tables), lookup_(tables), pairs_(tables), backtracking_(tables) {
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 text[kPadding] = {static_cast<u8>(byte)};
        byte_ids_[byte] = find(text, 1);
    }
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

// Merges the units in scratch.ids in place; returns the number of tokens.
u32 Bpe::merge_units(const u8* ascii, u32 count, BpeScratch& scratch) const {
    u32 ranks[RankMerger::kUnits];
    u32* const units = scratch.ids.data();
    rank_units(ascii, units, count, scratch, ranks);
    if (count <= kFew) return merge_few(units, ranks, count, pairs_);
    RankMerger merger;
    return merger.merge(units, ranks, count, pairs_);
}

// The same for any number of units, window by window; 0 if the windows do not agree.
//
// The cut at the end of a window changes only the tokens near it. So all tokens of a window but the last few are taken,
// and the next window begins with the last of those taken. If that token comes out the same there, both windows are
// right: any two adjacent tokens are adjacent in the encoding of one window, and a sequence of tokens is an encoding if
// every adjacent pair is (see backtracking.h).
u32 Bpe::merge_windows(const u8* ascii, u32 count, BpeScratch& scratch) const {
    constexpr u32 kMargin = 12;
    u32* const ids = scratch.ids.data();  // tokens are written over units that have been read
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
    if (!scratch.ids.resize(length + PartsMerger::kRoom)) return false;
    u32* const ids = scratch.ids.data();
    u32 count = length < kFew ? 0 : merge_runs(piece, length, kMostRuns, pairs_, byte_ids_, ids);
    const u32 part = count == 0 ? PartsMerger::part_length(piece, length) : 0;
    if (part > 0) {
        PartsMerger parts(piece, length, part, pairs_, byte_ids_, t_.token_offsets, scratch.parts);
        count = parts.merge(ids);
    }
    if (count == 0) {
        const u8* const ascii = is_ascii(piece, length) ? piece : nullptr;
        u32 units;
        if (part == 0 && looks_repeated(piece, length)) {
            units = 0;
        } else if (ascii) {
            if (scratch.ascii_pairs.empty() && !scratch.ascii_pairs.zeroed(128 * 128)) return false;
            units = length;
            for (u32 i = 0; i < length; ++i) ids[i] = byte_ids_[piece[i]];
        } else {
            if (!scratch.characters.ready(t_)) return false;
            const Characters::Units found = scratch.characters.units(piece, length, pairs_, byte_ids_, ids);
            units = prefers_backtracking(found) ? 0 : found.count;
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

// Sets the units of a piece and asks for their pairs; false if it has too many, or is better merged another way.
bool Bpe::open_lane(const Piece& piece, BpeScratch& scratch, MergeLanes& lanes, MergeLanes::Lane& lane) const {
    const u8* const bytes = piece.bytes;
    const u32 length = piece.length;
    u32* const ids = piece.ids;
    if (is_ascii(bytes, length)) {
        if (length > MergeLanes::kUnits) return false;
        for (u32 i = 0; i < length; ++i) lane.units[i] = byte_ids_[bytes[i]];
        for (u32 i = 0; i + 1 < length; ++i) {
            const u32 id = ascii_pair(bytes + i, scratch);
            lane.keys[i] = id == layout::kNone ? MergeLanes::kNever : MergeLanes::key_of(id, i);
        }
        lane.count = length;
    } else {
        const Characters::Units found = scratch.characters.units(bytes, length, pairs_, byte_ids_, ids);
        if (found.count == 0 || found.count > MergeLanes::kUnits || prefers_backtracking(found)) return false;
        std::memcpy(lane.units, ids, found.count * sizeof(u32));
        const auto ask_all = [&](const auto& may_merge) {
            for (u32 i = 0; i + 1 < found.count; ++i) {
                const u64 hash = pairs_.hash(ids[i], ids[i + 1]);
                lane.keys[i] = MergeLanes::kNever;
                lanes.ask(lane, i, i + 1, hash, may_merge(hash));
            }
        };
        if (scratch.filter.built()) {
            ask_all([&](u64 hash) { return scratch.filter.maybe(hash); });
        } else {
            scratch.unfiltered += found.count;
            ask_all([](u64) { return true; });
        }
        lane.count = found.count;
    }
    lane.keys[lane.count - 1] = MergeLanes::kNever;
    return true;
}

bool Bpe::make_all(Piece* pieces, u32 count, BpeScratch& scratch) const {
    if (!scratch.characters.ready(t_)) return false;
    if (scratch.ascii_pairs.empty() && !scratch.ascii_pairs.zeroed(128 * 128)) return false;
    if (scratch.unfiltered > kFewUnfiltered && !scratch.filter.ready(t_, pairs_)) return false;
    if (!scratch.lanes.resize(1)) return false;
    MergeLanes& lanes = scratch.lanes[0];
    bool has_memory = true;
    lanes.run(
        count, pairs_,
        [&](u32 index, MergeLanes::Lane& lane) {
            Piece& piece = pieces[index];
            if (open_lane(piece, scratch, lanes, lane)) return true;
            if (!merge(piece.bytes, piece.length, scratch)) return has_memory = false;
            piece.count = static_cast<u32>(scratch.ids.size());
            std::memcpy(piece.ids, scratch.ids.data(), piece.count * sizeof(u32));
            return false;
        },
        [&](const MergeLanes::Lane& lane, const u32* tokens, u32 token_count) {
            std::memcpy(pieces[lane.job].ids, tokens, token_count * sizeof(u32));
            pieces[lane.job].count = token_count;
        });
    return has_memory;
}

}  // namespace crayon
