#include "model/word_piece.h"

#include <algorithm>

#include "base/utf8.h"
#include "crayon/layout/marked_ids.h"
#include "tables/double_array.h"

namespace crayon {

WordPiece::WordPiece(const LongestMatchView& tables, const TrieRules& rules, const DroppedText& dropped)
    : t_(tables),
      most_characters_(rules.word_piece->most_characters),
      is_whole_((rules.word_piece->flags & layout::kWholeWords) != 0),
      dropped_(dropped) {
    continuation_base_ = layout::base_of(t_.trie.units[0]);
    continues_ = true;
    for (const char each : rules.prefix) {
        const u32 unit = t_.trie.units[continuation_base_ ^ static_cast<u8>(each)];
        continues_ = continues_ && layout::label_of(unit) == static_cast<u8>(each);
        if (!continues_) break;
        continuation_base_ = layout::base_of(unit);
    }
}

namespace {

// Whether the text has more than `limit` characters.
bool has_more_characters(const u8* text, u32 length, u32 limit) {
    if (length <= limit) return false;
    u32 count = 0;
    for (u32 at = 0; at < length; at += character_length(text + at)) {
        if (++count > limit) return true;
    }
    return false;
}

}  // namespace

// The number of ids, or 0 if a part is not a token.
u32 WordPiece::parts_of(const u8* word, u32 length, u32* ids) const {
    if (!is_whole_ && has_more_characters(word, length, most_characters_)) return 0;
    const u32 longest = t_.max_token_length;
    const TrieMatch first = longest_prefix(t_.trie, word, std::min(length, longest));
    if (first.length == 0 || (first.length < length && (is_whole_ || !continues_))) return 0;
    ids[0] = first.value;
    u32 count = 1;
    for (u32 at = first.length; at < length;) {
        const TrieMatch next = longest_prefix(t_.trie, continuation_base_, word + at, std::min(length - at, longest));
        if (next.length == 0) return 0;
        ids[count++] = next.value | layout::kPartMark;
        at += next.length;
    }
    return count;
}

u32 WordPiece::cut(const u8* piece, u32 length, u32* ids, u32* end) const {
    const u32 begin = dropped_.leading(piece, length);
    *end = length;
    if (begin == length) return 0;
    const u32 count = parts_of(piece + begin, length - begin, ids);
    if (count > 0) return count;
    if (t_.unknown_id == layout::kNone) {
        *end = begin;
        return 0;
    }
    ids[0] = layout::kUnknownMark | std::min(length - begin, layout::kPartMark - 1);
    return 1;
}

bool WordPiece::make(const u8* piece, u32 length, u32, PieceScratch& scratch, u32* end) const {
    if (!scratch.ids.resize(length)) return false;
    scratch.ids.truncate(cut(piece, length, scratch.ids.data(), end));
    return true;
}

bool WordPiece::make_all(UnmadePiece* pieces, u32 count, PieceScratch&) const {
    for (UnmadePiece* piece = pieces; piece != pieces + count; ++piece) {
        u32 end;
        piece->count = cut(piece->bytes, piece->length, piece->ids, &end);
    }
    return true;
}

}  // namespace crayon
