// Offsets for WordPiece and Unigram ids, and for dropped text; separate so that a browser module can omit them. Members of
// TokenOffsets and IdOffsets.
#include "encode/id_offsets.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// Whether a character begins there. In bytes, tokens may also end inside characters.
bool begins_character(const u8* text, size_t at) {
    if (!is_continuation(text[at])) return true;
    for (size_t back = 1; back <= 3 && back <= at; ++back) {
        const u8* const first = text + at - back;
        if (!is_continuation(*first)) return decode_character(first).length <= back;
    }
    return true;
}

}  // namespace

void TokenOffsets::skip(const Tokenizer& tokenizer, const Text& text, u32 unit) {
    const DroppedText& dropped = tokenizer.dropped();
    while (end_ < text.encoded) {
        const u32 left = static_cast<u32>(std::min<size_t>(text.encoded - end_, 4));
        const u32 length = begins_character(text.bytes, end_) ? dropped.at(text.bytes + end_, left) : 0;
        if (length == 0) break;
        end_ += length;
        character_end_ = end_;
        after_ += unit == CRAYON_UNIT_BYTES ? length : length == 4 ? 2 : 1;
    }
}

void TokenOffsets::locate_words(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        if (tokenizer.begins_word(ids[i])) skip(tokenizer, text, unit);
        locate_by(tokenizer, text, unit, ids + i, 1, offsets + 2 * i);
    }
}

void IdOffsets::skip_to(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, size_t at) {
    if (normalizing && normalizing->has_rewritten()) return normalizing->skip_to(text, offsets_, at);
    offsets_.skip(tokenizer, {text.bytes(), text.ready(), at, text.is_well_formed()}, unit_);
}

Status IdOffsets::locate_stretches(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids,
                                   u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        const bool is_byte = tokenizer.has_byte_mark(ids[i]);
        if (!is_byte || stretch_.left == 0) {
            stretch_.left = is_byte ? ids[i] & layout::kMostRest : 1;
            const u32 id = is_byte ? layout::kUnknownMark | stretch_.left : ids[i];
            const Status status = locate_each(tokenizer, text, normalizing, &id, 1, stretch_.offsets);
            if (!status.ok()) return status;
        }
        std::memcpy(offsets + 2 * i, stretch_.offsets, sizeof stretch_.offsets);
        stretch_.left -= stretch_.left > 0;
    }
    return {};
}

}  // namespace crayon
