#include "model/unigram.h"

#include <algorithm>

#include "base/utf8.h"
#include "crayon/layout/marked_ids.h"
#include "tables/double_array.h"

namespace crayon {

namespace {

// Longer pieces have their positions in the scratch.
constexpr u32 kShort = 128;

// Takes a sum that is far from 0 off those of best[from, to] that are known.
template <class Best>
void take_off(Best* best, u32 from, u32 to) {
    const float sum = static_cast<float>(best[from].score);
    for (u32 i = from; i <= to; ++i) {
        if (i == from || best[i].begin != layout::kNone) best[i].score = static_cast<float>(best[i].score) - sum;
    }
}

}  // namespace

// Returns where it ends: before the end only at a character that may only be unknown, without an unknown id.
template <bool kFloats>
u32 Unigram::find_best(const u8* piece, u32 length, Best* best) const {
    const u32* const units = t_.trie.units;
    const u32* const values = t_.trie.values;
    const u32 root = layout::base_of(units[0]);
    best[0] = {0.0, layout::kNone, 0};
    for (u32 i = 1; i <= length; ++i) best[i].begin = layout::kNone;
    u32 reached = 0;
    for (u32 at = 0; at < length; ++at) {
        if (best[at].begin == layout::kNone) continue;  // inside of a character
        if constexpr (kFloats) {
            if (best[at].score < -layout::kMostSum || best[at].score > layout::kMostSum) take_off(best, at, reached);
        }
        const double before = best[at].score;
        const u32 character = std::min(character_length(piece + at), length - at);
        const auto offer = [&](u32 end, double score, u32 id) {
            Best& other = best[end];
            const double sum = kFloats ? static_cast<float>(score) + static_cast<float>(before) : score + before;
            if constexpr (kFloats) reached = std::max(reached, end);
            if (other.begin == layout::kNone || sum > other.score) other = {sum, id, at};
        };
        bool is_known = false;
        u32 base = root;
        const u32 stop = at + std::min(length - at, t_.max_token_length);
        for (u32 i = at; i < stop; ++i) {
            const u32 index = base ^ piece[i], unit = units[index];
            if (layout::label_of(unit) != piece[i]) break;
            if (layout::is_terminal(unit)) {
                const u32 id = values[index];
                offer(i + 1, scores_[id], id);
                is_known |= i + 1 - at == character;
            }
            base = layout::base_of(unit);
        }
        if (is_known) continue;
        if (t_.unknown_id == layout::kNone) return at;
        offer(at + character, unknown_score_, t_.unknown_id);
    }
    return length;
}

// Puts the ids of a stretch of unknown characters, in reverse order.
u32 Unigram::put_unknown(const u8* text, u32 length, u32* ids, u32 count) const {
    const TrieMatch token = sums_floats_ ? TrieMatch{} : longest_prefix(t_.trie, text, length);
    if (token.length == length) {
        ids[count++] = token.value;
        return count;
    }
    const auto has_token = [this](u8 byte) { return byte_ids_[byte] != layout::kNone; };
    if (byte_ids_ && std::all_of(text, text + length, has_token)) {
        for (u32 i = length; i-- > 0;) {
            ids[count++] = layout::kByteMark | u32{text[i]} << layout::kByteShift | std::min(length - i, layout::kMostRest);
        }
        return count;
    }
    ids[count++] = layout::kUnknownMark | std::min(length, layout::kPartMark - 1);
    return count;
}

u32 Unigram::take_best(const u8* piece, u32 length, const Best* best, u32* ids) const {
    u32 count = 0, unknown_end = 0;  // unless 0, the text up to there is unknown
    for (u32 end = length; end > 0;) {
        const Best& last = best[end];
        const bool is_unknown = last.id == t_.unknown_id;
        if (is_unknown && unknown_end == 0) unknown_end = end;
        if (!is_unknown) {
            if (unknown_end != 0) count = put_unknown(piece + end, unknown_end - end, ids, count);
            unknown_end = 0;
            ids[count++] = last.id;
        }
        end = last.begin;
    }
    if (unknown_end != 0) count = put_unknown(piece, unknown_end, ids, count);
    std::reverse(ids, ids + count);
    return count;
}

// False if memory is short.
bool Unigram::cut(const u8* piece, u32 length, PieceScratch& scratch, u32* ids, u32* count, u32* end) const {
    const u32 begin = dropped_.leading(piece, length);
    piece += begin;
    length -= begin;
    Best near[kShort + 1];
    Best* best = near;
    if (length > kShort) {
        if (!scratch.work.resize((size_t{length} + 1) * sizeof(Best))) return false;
        best = reinterpret_cast<Best*>(scratch.work.data());
    }
    const u32 found = sums_floats_ ? find_best<true>(piece, length, best) : find_best<false>(piece, length, best);
    *end = begin + found;
    *count = found == length ? take_best(piece, length, best, ids) : 0;
    return true;
}

bool Unigram::make(const u8* piece, u32 length, u32, PieceScratch& scratch, u32* end) const {
    u32 count = 0;
    if (!scratch.ids.resize(length) || !cut(piece, length, scratch, scratch.ids.data(), &count, end)) return false;
    scratch.ids.truncate(count);
    return true;
}

bool Unigram::make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const {
    for (UnmadePiece* piece = pieces; piece != pieces + count; ++piece) {
        u32 end;
        if (!cut(piece->bytes, piece->length, scratch, piece->ids, &piece->count, &end)) return false;
    }
    return true;
}

}  // namespace crayon
