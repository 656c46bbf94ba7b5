#include "model/hidden_tokens.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

HiddenTokens::HiddenTokens(const BpeView& tables, const u32* byte_ids) : tables_(tables) {
    if (!any()) return;
    visible_count_ = tables.hidden->visible_count;
    std::memcpy(byte_ids_, byte_ids, sizeof byte_ids_);
}

u32 HiddenTokens::reveal(const u8* piece, u32 length, u32* ids, u32 count, u32 capacity) const {
    const u32* const first = std::find_if(ids, ids + count, [this](u32 id) { return is_hidden(id); });
    if (first == ids + count) return count;
    if (tables_.hidden->flags & layout::kSplitsHidden) count = split(ids, count, capacity);
    return marks_unknown() ? mark_unknown(piece, length, ids, count, capacity) : reveal_bytes(ids, count, capacity);
}

// Whether a hidden token has several characters; others are the beginning of one.
bool HiddenTokens::is_split(u32 id) const {
    if (!is_hidden(id)) return false;
    const std::string_view token = tables_.token(id);
    const u32 rank = tables_.rank_of(id);
    const u8 first = static_cast<u8>(token[0]);
    const u32 character = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return tables_.splits[rank].left != rank && token.size() > character;
}

// Works from the last id back, and writes to the end of the buffer: a token has as many free places as bytes for its parts, and
// parts still to be split wait at the beginning of these. (In a damaged cartridge a token may have more parts; they are cut off.)
u32 HiddenTokens::split(u32* ids, u32 count, u32 capacity) const {
    u32 end = capacity;
    for (u32 i = count; i-- > 0;) {
        u32 waiting = i;
        for (u32 id = ids[i];;) {
            if (is_split(id) && waiting + 1 < end) {
                const layout::Split halves = tables_.splits[tables_.rank_of(id)];
                ids[waiting++] = tables_.id_of(halves.left);
                id = tables_.id_of(halves.right);
                continue;
            }
            ids[--end] = id;
            if (waiting == i) break;
            id = ids[--waiting];
        }
    }
    std::memmove(ids, ids + end, (capacity - end) * sizeof(u32));
    return capacity - end;
}

// From the end, since there are more ids than before.
u32 HiddenTokens::reveal_bytes(u32* ids, u32 count, u32 capacity) const {
    u32 total = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 more = is_hidden(ids[i]) ? static_cast<u32>(tables_.token(ids[i]).size()) : 1;
        if (total + more > capacity) {
            count = i;
            break;
        }
        total += more;
    }
    for (u32 end = total, i = count; i-- > 0;) {
        if (!is_hidden(ids[i])) {
            ids[--end] = ids[i];
            continue;
        }
        const std::string_view bytes = tables_.token(ids[i]);
        for (size_t k = bytes.size(); k-- > 0;) ids[--end] = byte_ids_[static_cast<u8>(bytes[k])];
    }
    return total;
}

// A run of hidden tokens is a run of whole characters, unless the piece is not UTF-8.
u32 HiddenTokens::mark_unknown(const u8* piece, u32 length, u32* ids, u32 count, u32 capacity) const {
    const u32 flags = tables_.hidden->flags;
    const bool fuses = (flags & layout::kFusesUnknown) != 0;
    const u32 text_end = length - ((flags & layout::kEndsWords) && length > 0 && piece[length - 1] == layout::kWordEnd);
    u32 written = 0, at = 0;
    for (u32 i = 0; i < count && written < capacity;) {
        if (!is_hidden(ids[i])) {
            at += static_cast<u32>(tables_.token(ids[i]).size());
            ids[written++] = ids[i++];
            continue;
        }
        const u32 begin = std::min(at, text_end);
        for (; i < count && is_hidden(ids[i]); ++i) at += static_cast<u32>(tables_.token(ids[i]).size());
        const u32 end = std::min(at, text_end);
        if (begin == end) continue;
        if (fuses) {
            ids[written++] = layout::kUnknownMark | (end - begin);
            continue;
        }
        // There are at most as many characters as tokens, each of which is part of a character, so writing never overtakes
        // reading.
        for (u32 next = begin; next < end && written < i;) {
            const u32 size = std::min(decode_character(piece + next).length, end - next);
            ids[written++] = layout::kUnknownMark | size;
            next += size;
        }
    }
    return written;
}

}  // namespace crayon
