// Offsets of the ids of WordPiece and Unigram, and where text is dropped, apart from the others, so that a module for pages can
// do without. Members of TokenOffsets and IdOffsets.
#include "encode/id_offsets.h"

#include <algorithm>
#include <cstring>

namespace crayon {

void TokenOffsets::skip(const DroppedText& dropped, const Text& text, u32 unit) {
    while (end_ == character_end_ && end_ < text.encoded) {
        const u32 length = dropped.at(text.bytes + end_, static_cast<u32>(std::min<size_t>(text.encoded - end_, 4)));
        if (length == 0) break;
        end_ += length;
        character_end_ = end_;
        after_ += unit == CRAYON_UNIT_BYTES ? length : length == 4 ? 2 : 1;
    }
}

void TokenOffsets::locate_words(const Tokenizer& tokenizer, const Text& text, u32 unit, const u32* ids, u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        if (tokenizer.begins_word(ids[i])) skip(tokenizer.dropped(), text, unit);
        locate_by(tokenizer, text, unit, ids + i, 1, offsets + 2 * i);
    }
}

void IdOffsets::skip_to(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, size_t at) {
    if (normalizing && normalizing->has_rewritten()) return normalizing->skip_to(text, offsets_, at);
    offsets_.skip(tokenizer.dropped(), {text.bytes(), text.ready(), at, text.is_well_formed()}, unit_);
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
