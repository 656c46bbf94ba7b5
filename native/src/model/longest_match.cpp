#include "model/longest_match.h"

#include <algorithm>

#include "base/utf8.h"

namespace crayon {

LongestMatch::LongestMatch(const LongestMatchView& tables) : t_(tables) {
    has_all_bytes_ = true;
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 text = static_cast<u8>(byte);
        has_all_bytes_ &= token_of(&text, 1) != layout::kNone;
    }
}

u32 LongestMatch::token_of(const u8* bytes, u32 length) const {
    const TrieMatch match = t_.arrays.count ? longest_prefix(t_.arrays, bytes, length) : longest_prefix(t_.trie, bytes, length);
    return match.length == length && length > 0 ? match.value : layout::kNone;
}

template <class Trie>
u32 LongestMatch::match(Trie trie, const u8* piece, u32 length, u32 limit, u32* ids, u32* end) const {
    const u32 longest = t_.max_token_length;
    u32 count = 0, at = 0;
    while (at < length) {
        const TrieMatch match = longest_prefix(trie, piece + at, std::min(limit - at, longest));
        if (match.length > 0) [[likely]] {
            ids[count++] = match.value;
            at += match.length;
        } else if (t_.unknown_id != layout::kNone) {
            const u32 character = t_.unknown_bytes ? 1 : std::min(decode_character(piece + at).length, limit - at);
            ids[count++] = layout::kFirstReservedId + character;
            at += character;
        } else {
            break;
        }
    }
    *end = at;
    return count;
}

u32 LongestMatch::match(const u8* piece, u32 length, u32 limit, u32* ids, u32* end) const {
    return t_.arrays.count ? match(t_.arrays, piece, length, limit, ids, end) : match(t_.trie, piece, length, limit, ids, end);
}

bool LongestMatch::make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const {
    if (!scratch.ids.resize(length)) return false;
    scratch.ids.truncate(match(piece, length, limit, scratch.ids.data(), end));
    return true;
}

bool LongestMatch::make_all(UnmadePiece* pieces, u32 count, PieceScratch&) const {
    for (UnmadePiece* piece = pieces; piece != pieces + count; ++piece) {
        u32 end;
        const u32 ids = match(piece->bytes, piece->length, piece->length, piece->ids, &end);
        piece->count = end == piece->length ? ids : 0;
    }
    return true;
}

}  // namespace crayon
