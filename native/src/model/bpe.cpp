#include "model/bpe.h"

#include <cstring>

#include "model/merge_by_rank.h"
#include "model/merge_runs.h"

namespace crayon {

namespace {

// Up to this many units are merged in an array; more are linked.
constexpr u32 kFew = 24;
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

}  // namespace

Bpe::Bpe(const BpeView& tables) : t_(tables), lookup_(tables), pairs_(tables), backtracking_(tables) {
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 text[kPadding] = {static_cast<u8>(byte)};
        byte_ids_[byte] = find(text, 1);
    }
}

// The rank of each unit and the next. `ascii`: the bytes, if each unit is one byte of ASCII; else nullptr.
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
            // Scripts like Thai: many units, few tokens. (Half as fast as backtracking there, 2026-11.)
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

}  // namespace crayon
