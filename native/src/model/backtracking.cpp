#include "model/backtracking.h"

#include <cstring>

#include "tables/double_array.h"

namespace crayon {

namespace {

// Flags the length of a token that was tried before longer ones.
constexpr u32 kOutOfOrder = 1u << 31;

// Whether the bytes after text[0, length), up to text[rest], repeat it.
bool repeats(const u8* text, u32 length, u32 rest) {
    const u32 after = rest - length;
    return after > 0 && text[0] == text[length] && std::memcmp(text, text + length, after < length ? after : length) == 0;
}

}  // namespace

// Depth first: the longest token that may follow, then shorter ones, then back. The order of attempts affects the time,
// never the result, because there is only one valid sequence.
//
// In repetitive text (alternating tabs and spaces, one syllable) the longest token is usually wrong: o200k has a token
// of 96 equals signs, but encodes a long run of them as tokens of 64. Trying the longest there fails again and again,
// with a hundred steps each time (2 MB/s). So in a run the previous token is tried first.
bool Backtracking::encode(const u8* piece, u32 length, BacktrackingScratch& scratch, u32* ids, u32* count) const {
    if (!scratch.adjacency.ready()) return false;
    if (!scratch.prefixes.resize(t_.max_token_length + 1) || !scratch.lengths.resize(length)) return false;
    if (!scratch.dead.assign(length / 64 + 1, 0)) return false;
    u16* const prefixes = scratch.prefixes.data();
    u32* const lengths = scratch.lengths.data();
    u64* const dead = scratch.dead.data();

    const auto adjacent = [&](u32 left, u32 right) { return scratch.adjacency.adjacent(left, right, pairs_); };
    u32 depth = 0, position = 0;
    u32 shorter_than = layout::kNone;    // candidates at `position` of at least this length were tried
    u32 follows_itself = layout::kNone;  // a token known to follow itself
    while (position < length) {
        const u8* const text = piece + position;
        const u32 rest = length - position, previous = depth ? ids[depth - 1] : layout::kNone;
        const bool untried = shorter_than == layout::kNone;
        const auto is_dead = [&](u32 candidate) {
            const u32 end = position + candidate;
            return (dead[end / 64] >> (end % 64) & 1) != 0;
        };

        if (untried && depth) {
            const u32 again = lengths[depth - 1] & ~kOutOfOrder;
            if (again <= rest && repeats(text - again, again, again + rest) && !is_dead(again) &&
                (follows_itself == previous || adjacent(previous, previous))) {
                ids[depth] = previous;
                lengths[depth++] = again | kOutOfOrder;
                follows_itself = previous;
                position += again;
                continue;
            }
        }

        u32 candidates = crayon::prefixes(t_.trie, text, rest < t_.max_token_length ? rest : t_.max_token_length, prefixes);
        u32 id = layout::kNone, taken = 0;
        while (taken == 0 && candidates > 0) {
            const u32 candidate = prefixes[--candidates];
            if (candidate >= shorter_than || is_dead(candidate)) continue;
            id = t_.rank_of(lookup_.find(text, candidate));
            if (id == layout::kNone || (depth && !adjacent(previous, id))) continue;
            taken = candidate;
        }
        if (taken) {
            ids[depth] = id;
            lengths[depth++] = taken;
            position += taken;
            shorter_than = layout::kNone;
            continue;
        }
        dead[position / 64] |= u64{1} << (position % 64);
        if (depth == 0) {  // only a damaged table leaves a piece without an encoding: fall back to its bytes
            for (u32 i = 0; i < length; ++i) ids[depth++] = t_.rank_of(lookup_.find(piece + i, 1));
            break;
        }
        const u32 last = lengths[--depth];
        shorter_than = last & kOutOfOrder ? layout::kNone : last;
        position -= last & ~kOutOfOrder;
    }
    *count = depth;
    return true;
}

}  // namespace crayon
