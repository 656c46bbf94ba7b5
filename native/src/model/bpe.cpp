#include "model/bpe.h"

#include <cstring>

#include "trie/double_array.h"

namespace crayon {

namespace {

u64 load(const u8* p) {
    u64 word;
    std::memcpy(&word, p, 8);
    return word;
}

// The low `count` bytes (1…8) of a word.
u64 low_bytes(u64 word, u32 count) { return word & (~u64{0} >> (64 - 8 * count)); }

constexpr u32 kShortPiece = 256;

// The tokens chosen so far. `lengths` are theirs in bytes, with kOutOfOrder set on those that were tried before longer
// ones.
constexpr u32 kOutOfOrder = 1u << 31;

struct ShortStack {
    u32* ids;
    u32 lengths[kShortPiece];
    u32 depth = 0;

    bool push(u32 id, u32 length) {
        ids[depth] = id;
        lengths[depth++] = length;
        return true;
    }
    bool empty() const { return depth == 0; }
    u32 top() const { return ids[depth - 1]; }
    u32 top_length() const { return lengths[depth - 1]; }
    void pop() { --depth; }
};

struct LongStack {
    Buffer<u32>& ids;
    Buffer<u32>& lengths;

    bool push(u32 id, u32 length) { return ids.push_back(id) && lengths.push_back(length); }
    bool empty() const { return ids.empty(); }
    u32 top() const { return ids[ids.size() - 1]; }
    u32 top_length() const { return lengths[lengths.size() - 1]; }
    void pop() {
        ids.pop_back();
        lengths.pop_back();
    }
};

// Whether what follows text[0, length), up to text[rest], is the same again.
bool repeats(const u8* text, u32 length, u32 rest) {
    const u32 behind = rest - length;
    return behind > 0 && text[0] == text[length] &&
           std::memcmp(text, text + length, behind < length ? behind : length) == 0;
}

}  // namespace

// Nine pieces of ten have at most eight bytes: that way is worth inlining where it is taken.
[[gnu::always_inline]] inline u32 Bpe::find_inline(const u8* piece, u32 length) const {
    if (length > 8) return find_longer(piece, length);
    const u64 key = low_bytes(load(piece), length);
    const layout::Piece8& entry = t_.pieces8.entry(layout::hash_word(key, length, t_.pieces8.seed));
    return ((entry.key ^ key) | (entry.length ^ length)) == 0 ? entry.id : layout::kNone;
}

u32 Bpe::find(const u8* piece, u32 length) const { return find_inline(piece, length); }

u32 Bpe::find_longer(const u8* piece, u32 length) const {
    if (length <= 24) {
        const u64 k0 = load(piece);
        const u64 k1 = length < 16 ? low_bytes(load(piece + 8), length - 8) : load(piece + 8);
        const u64 k2 = length > 16 ? low_bytes(load(piece + 16), length - 16) : 0;
        const layout::Piece24& entry = t_.pieces24.entry(layout::hash_words(k0, k1, k2, length, t_.pieces24.seed));
        const bool equal =
            ((entry.key[0] ^ k0) | (entry.key[1] ^ k1) | (entry.key[2] ^ k2) | (entry.length ^ length)) == 0;
        return equal ? entry.id : layout::kNone;
    }
    if (length > t_.max_token_length) return layout::kNone;
    u64 state = layout::hash_start(length, t_.pieces_long.seed);
    u32 i = 0;
    for (; i + 8 <= length; i += 8) state = layout::hash_next(state, load(piece + i));
    if (i < length) state = layout::hash_next(state, low_bytes(load(piece + i), length - i));
    const u32 id = t_.pieces_long.entry(layout::hash_finish(state));
    if (id == layout::kNone || t_.token_offsets[id + 1] - t_.token_offsets[id] != length) return layout::kNone;
    return std::memcmp(t_.token_bytes + t_.token_offsets[id], piece, length) == 0 ? id : layout::kNone;
}

inline u32 Bpe::merged(u32 left, u32 right) const {
    const u64 hash = layout::hash_word(left | u64{right} << 32, 0, t_.pairs.seed);
    const u32 slot = t_.pairs.entry(hash), id = slot & layout::kMaxBpeTokens;
    if (slot != layout::pair_slot(id, hash)) [[likely]]
        return layout::kNone;
    if (id == layout::kMaxBpeTokens) return layout::kNone;
    const layout::Split split = t_.splits[id];
    return split.left == left && split.right == right ? id : layout::kNone;
}

// Undoes the merges inside left and right from the latest to the earliest. If, at a moment when all merges of rank ≥
// bound are undone, the two tokens at the seam merge into a rank below bound, then BPE would have made that merge
// first, and the seam would not be there. Equal ranks merge from the left: so undoing `right` leaves right itself as a
// rival (bound right + 1).
inline bool Bpe::adjacent(u32 left, u32 right) const {
    u32 bound = layout::kNone;
    // A token of n bytes has fewer than n merges; the count only stops on a damaged table.
    for (u32 steps = 2 * t_.max_token_length; steps > 0; --steps) {
        if (merged(left, right) < bound) return false;
        const u32 left_inner = t_.splits[left].right, right_inner = t_.splits[right].left;
        const bool left_whole = left_inner == left, right_whole = right_inner == right;
        if (left_whole && right_whole) return true;
        // Which side is undone first is a coin toss: no branch for it.
        const bool left_later = left > right, undo_left = !left_whole && (left_later | right_whole);
        bound = undo_left ? left : right + 1;
        left = undo_left ? left_inner : left;
        right = undo_left ? right : right_inner;
    }
    return true;
}

// Depth first: the longest token that may follow, then shorter ones, then back. dead[p]: no valid sequence of tokens
// goes on from p; `dead` has length + 1 zero bits. The order in which tokens are tried changes the time, never the
// result, for there is one valid sequence.
//
// In text that repeats itself (a rule of ====, tabs, one letter) the longest token misleads: o200k has a token of 96
// signs of equality, yet makes a long run of tokens of 64. Trying the longest there goes wrong again and again, in a
// hundred steps each time (2 MB/s). So in a run the token before is tried again first, and where there is none, see
// run_token.
template <class Stack>
bool Bpe::backtrack(const u8* piece, u32 length, u64* dead, u16* prefixes, Stack& stack) const {
    u32 position = 0;
    u32 shorter_than = layout::kNone;    // candidates at `position` of this length and more have been tried
    u32 follows_itself = layout::kNone;  // a token known to
    while (position < length) {
        const u8* const text = piece + position;
        const u32 rest = length - position, previous = stack.empty() ? layout::kNone : stack.top();
        const bool untried = shorter_than == layout::kNone;
        const auto is_dead = [&](u32 candidate) {
            const u32 end = position + candidate;
            return (dead[end / 64] >> (end % 64) & 1) != 0;
        };

        if (untried && previous != layout::kNone) {
            const u32 again = stack.top_length() & ~kOutOfOrder;
            if (again <= rest && repeats(text - again, again, again + rest) && !is_dead(again) &&
                (follows_itself == previous || adjacent(previous, previous))) {
                if (!stack.push(previous, again | kOutOfOrder)) return false;
                follows_itself = previous;
                position += again;
                continue;
            }
        }

        u32 count = crayon::prefixes(t_.trie, text, rest < t_.max_token_length ? rest : t_.max_token_length, prefixes);
        u32 id = layout::kNone, taken = 0;
        while (taken == 0 && count > 0) {
            const u32 candidate = prefixes[--count];
            if (candidate >= shorter_than || is_dead(candidate)) continue;
            id = find_inline(text, candidate);
            if (id == layout::kNone || (previous != layout::kNone && !adjacent(previous, id))) continue;
            taken = candidate;
        }
        if (taken) {
            if (!stack.push(id, taken)) return false;
            position += taken & ~kOutOfOrder;
            shorter_than = layout::kNone;
            continue;
        }
        dead[position / 64] |= u64{1} << (position % 64);
        if (stack.empty()) {  // only a damaged table leaves a piece without an encoding: fall back to its bytes
            for (u32 i = 0; i < length; ++i) {
                id = find(piece + i, 1);
                if (id != layout::kNone && !stack.push(id, 1)) return false;
            }
            return true;
        }
        const u32 last = stack.top_length();
        shorter_than = last & kOutOfOrder ? layout::kNone : last;
        position -= last & ~kOutOfOrder;
        stack.pop();
    }
    return true;
}

// BPE by its definition, on runs of equal tokens: as long as two neighbours merge, all occurrences of the pair of the
// lowest rank do, from the left. (Doing all of them before looking again is the same: what a merge makes has a higher
// rank, and so has every pair it takes part in.) A rule of a million ==== is one run, and a run of runs after each of a
// dozen rounds.
//
// Worth its own way because there the search for the longest token misleads: o200k has a token of 96 signs of equality,
// yet makes a long run of tokens of 64; taking back what the longest ones promise costs a hundred steps every 64 bytes
// (2 MB/s).
template <class Stack>
bool Bpe::merge_runs(const u8* piece, u32 length, Stack& stack, bool* done) const {
    constexpr u32 kShortest = 24, kMostRuns = 6, kRoom = 64;
    struct Run {
        u32 id, count;
    };
    *done = false;
    if (length < kShortest) return true;
    Run runs[kRoom];
    u32 size = 0;
    for (u32 i = 0; i < length;) {
        const u32 begin = i;
        while (i < length && piece[i] == piece[begin]) ++i;
        if (size == kMostRuns) return true;
        runs[size++] = {find(piece + begin, 1), i - begin};
    }
    for (;;) {
        u32 lowest = layout::kNone, left = 0, right = 0;
        for (u32 i = 0; i < size; ++i) {
            const u32 inside = runs[i].count > 1 ? merged(runs[i].id, runs[i].id) : layout::kNone;
            if (inside < lowest) lowest = inside, left = right = runs[i].id;
            const u32 across = i + 1 < size ? merged(runs[i].id, runs[i + 1].id) : layout::kNone;
            if (across < lowest) lowest = across, left = runs[i].id, right = runs[i + 1].id;
        }
        if (lowest == layout::kNone) break;
        Run next[kRoom + 4];
        u32 next_size = 0;
        const auto add = [&](u32 id, u32 count) {
            if (count == 0) return;
            if (next_size > 0 && next[next_size - 1].id == id) {
                next[next_size - 1].count += count;
            } else {
                next[next_size++] = {id, count};
            }
        };
        for (u32 i = 0; i < size; ++i) {
            Run run = runs[i];
            if (left == right && run.id == left) {
                add(lowest, run.count / 2);
                add(run.id, run.count % 2);
            } else if (left != right && run.id == left && i + 1 < size && runs[i + 1].id == right) {
                add(run.id, run.count - 1);
                add(lowest, 1);
                --runs[i + 1].count;
            } else {
                add(run.id, run.count);
            }
            if (next_size > kRoom) return true;
        }
        std::memcpy(runs, next, next_size * sizeof(Run));
        size = next_size;
    }
    for (u32 i = 0; i < size; ++i) {
        const u32 bytes = t_.token_offsets[runs[i].id + 1] - t_.token_offsets[runs[i].id];
        for (u32 k = 0; k < runs[i].count; ++k) {
            if (!stack.push(runs[i].id, bytes)) return false;
        }
    }
    *done = true;
    return true;
}

u32 Bpe::merge_short(const u8* piece, u32 length, u32* ids, u16* prefixes) const {
    ShortStack stack;
    stack.ids = ids;
    bool done;
    merge_runs(piece, length, stack, &done);
    if (!done) {
        u64 dead[kShortPiece / 64 + 1];
        std::memset(dead, 0, (length / 64 + 1) * 8);
        backtrack(piece, length, dead, prefixes, stack);
    }
    return stack.depth;
}

bool Bpe::merge(const u8* piece, u32 length, BpeScratch& scratch) const {
    scratch.ids.clear();
    scratch.lengths.clear();
    LongStack stack{scratch.ids, scratch.lengths};
    bool done;
    if (!merge_runs(piece, length, stack, &done)) return false;
    if (done) return true;
    if (!scratch.dead.assign(length / 64 + 1, 0)) return false;
    return backtrack(piece, length, scratch.dead.data(), scratch.prefixes.data(), stack);
}

template <bool kCountOnly>
Bpe::Progress Bpe::encode(const u8* text, u32 start, const u32* boundaries, u32 count, u32* ids, u32 capacity,
                          BpeScratch& scratch) const {
    const bool cached = scratch.cache.ready();
    u32 written = 0, piece = 0;
    for (; piece < count && written < capacity; ++piece) {
        const u32 end = boundaries[piece], length = end - start, room = capacity - written;
        const u8* const bytes = text + start;
        start = end;
        const u32 id = find_inline(bytes, length);
        if (id != layout::kNone) [[likely]] {
            if constexpr (!kCountOnly) ids[written] = id;
            ++written;
            continue;
        }
        if (!kCountOnly && room < length) break;
        if (length > kShortPiece) {
            if (!merge(bytes, length, scratch)) return {piece, written, true};
            const u32 merged_ids = static_cast<u32>(scratch.ids.size());
            if constexpr (!kCountOnly) std::memcpy(ids + written, scratch.ids.data(), merged_ids * sizeof(u32));
            written += merged_ids;
            continue;
        }
        u32 counted[kCountOnly ? kShortPiece : 1];
        u32* const out = kCountOnly ? counted : ids + written;
        if (length > PieceCache::kLongestPiece || length < 3 || !cached) {
            written += merge_short(bytes, length, out, scratch.prefixes.data());
            continue;
        }
        const PieceCache::Key key = PieceCache::key_of(bytes, length);
        PieceCache::Entry& entry = scratch.cache.at(key);
        if (entry.holds(key)) {
            if constexpr (!kCountOnly) entry.take(ids + written);
            written += entry.count();
            continue;
        }
        const u32 merged_ids = merge_short(bytes, length, out, scratch.prefixes.data());
        entry.keep(key, out, merged_ids);
        written += merged_ids;
    }
    return {piece, written, false};
}

template Bpe::Progress Bpe::encode<false>(const u8*, u32, const u32*, u32, u32*, u32, BpeScratch&) const;
template Bpe::Progress Bpe::encode<true>(const u8*, u32, const u32*, u32, u32*, u32, BpeScratch&) const;

}  // namespace crayon
