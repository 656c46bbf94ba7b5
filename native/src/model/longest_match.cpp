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
    const TrieMatch match =
        t_.arrays.count ? longest_prefix(t_.arrays, bytes, length) : longest_prefix(t_.trie, bytes, length);
    return match.length == length && length > 0 ? match.value : layout::kNone;
}

template <class Trie>
bool LongestMatch::match(const Trie& trie, const u8* piece, u32 length, u32 limit, PieceScratch& scratch,
                         u32* end) const {
    if (!scratch.ids.resize(length)) return false;
    u32* const ids = scratch.ids.data();
    u32 count = 0, at = 0;
    while (at < length) {
        const TrieMatch match = longest_prefix(trie, piece + at, std::min(limit - at, t_.max_token_length));
        if (match.length > 0) [[likely]] {
            ids[count++] = match.value;
            at += match.length;
        } else if (t_.unknown_id != layout::kNone) {
            const u32 character = std::min(decode_character(piece + at).length, limit - at);
            ids[count++] = layout::kFirstReservedId + character;
            at += character;
        } else {
            break;
        }
    }
    scratch.ids.truncate(count);
    *end = at;
    return true;
}

bool LongestMatch::make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const {
    return t_.arrays.count ? match(t_.arrays, piece, length, limit, scratch, end)
                           : match(t_.trie, piece, length, limit, scratch, end);
}

}  // namespace crayon
