#include "cartridge/hidden_section.h"

#include <cstddef>

#include "base/utf8.h"
#include "cartridge/sections.h"

namespace crayon {

namespace {

// The id of a single byte, which the validator has checked.
u32 id_of_byte(const BpeView& bpe, u32 byte) { return bpe.pieces8.entry(layout::hash_word(byte, 1, bpe.pieces8.seed)).id; }

}  // namespace

// The tokens themselves are checked along with the single bytes.
Status Sections::read_hidden(SectionRange section) {
    if (!section.present()) return {};
    if (section.length != sizeof(layout::HiddenTokens)) return corrupt(section.id, section.offset);
    const layout::HiddenTokens& hidden = *at<layout::HiddenTokens>(section.offset);
    if (hidden.visible_count < 1 || hidden.visible_count > contents_.tokens.token_count) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, visible_count));
    }
    if (hidden.unknown_id != layout::kNone && hidden.unknown_id >= hidden.visible_count) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, unknown_id));
    }
    if (!layout::are_possible(hidden)) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, flags));
    }
    if (hidden.reserved != 0) return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, reserved));
    contents_.bpe.hidden = &hidden;
    return {};
}

// A few thousand tokens, so checked in one go.
Status Sections::check_hidden() const {
    const BpeView& bpe = contents_.bpe;
    const layout::HiddenTokens& hidden = *bpe.hidden;
    for (u32 id = hidden.visible_count; id < bpe.token_count; ++id) {
        const size_t length = bpe.token(id).size();
        if (length < 1 || length > layout::longest_hidden(hidden)) {
            return corrupt(layout::kTokenOffsets, static_cast<u64>(reinterpret_cast<const u8*>(bpe.token_offsets + id) - data_));
        }
    }
    if (layout::hides_bytes(hidden)) return {};
    for (u32 byte = 0; byte < layout::kByteValues; ++byte) {
        const u32 id = id_of_byte(bpe, byte);
        if (id >= hidden.visible_count) {
            return corrupt(layout::kTokenOffsets, static_cast<u64>(reinterpret_cast<const u8*>(bpe.token_offsets + id) - data_));
        }
    }
    return {};
}

void join_unknown(const BpeView& bpe, u8* joined_bytes) {
    const layout::HiddenTokens& hidden = *bpe.hidden;
    if (hidden.unknown_id == layout::kNone) return;
    const bool fuses = (hidden.flags & layout::kFusesUnknown) != 0;
    const auto is_unknown = [&](u32 byte) { return id_of_byte(bpe, byte) >= hidden.visible_count; };
    for (u32 a = 0; a < layout::kByteValues; ++a) {
        if (!is_unknown(a)) continue;
        for (u32 b = 0; b < layout::kByteValues; ++b) {
            if (is_unknown(b) && (fuses || is_continuation(static_cast<u8>(b)))) {
                layout::set_joined(joined_bytes, static_cast<u8>(a), static_cast<u8>(b));
            }
        }
    }
}

}  // namespace crayon
