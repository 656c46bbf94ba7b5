#include "encode/id_offsets.h"

#include <cstring>

namespace crayon {

Status IdOffsets::locate_stretches(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids,
                                   u32 count, u32* offsets) {
    for (u32 i = 0; i < count; ++i) {
        const bool is_byte = tokenizer.has_byte_mark(ids[i]);
        if (!is_byte || left_ == 0) {
            left_ = is_byte ? ids[i] & layout::kMostRest : 1;
            const u32 id = is_byte ? layout::kUnknownMark | left_ : ids[i];
            const Status status = locate_each(tokenizer, text, normalizing, &id, 1, stretch_);
            if (!status.ok()) return status;
        }
        std::memcpy(offsets + 2 * i, stretch_, sizeof stretch_);
        left_ -= left_ > 0;
    }
    return {};
}

}  // namespace crayon
