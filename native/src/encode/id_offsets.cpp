#include "encode/id_offsets.h"

#include <cstring>

namespace crayon {

void IdOffsets::skip_to(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, size_t at) {
    if (normalizing && normalizing->has_rewritten()) return normalizing->skip_to(text, offsets_, at);
    offsets_.skip(tokenizer, {text.bytes(), text.ready(), at, text.is_well_formed()}, unit_);
}

Status IdOffsets::locate_byte_ids(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids,
                                  u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        const bool is_byte = tokenizer.has_byte_mark(ids[i]);
        if (!is_byte || byte_range_.left == 0) {
            byte_range_.left = is_byte ? ids[i] & layout::kMostRest : 1;
            const u32 id = is_byte ? layout::kUnknownMark | byte_range_.left : ids[i];
            const Status status = locate_each(tokenizer, text, normalizing, &id, 1, byte_range_.offsets);
            if (!status.ok()) return status;
        }
        std::memcpy(offsets + 2 * i, byte_range_.offsets, sizeof byte_range_.offsets);
        byte_range_.left -= byte_range_.left > 0;
    }
    return {};
}

}  // namespace crayon
