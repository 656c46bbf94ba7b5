// A text in the form a family's exact step reads (crayon/layout/piece_steps.h), for blocks that the masks do not determine.
#pragma once

#include "crayon/layout/piece_steps.h"
#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

static_assert(u32{unicode_16_0::kOther} == layout::kOtherClass && u32{unicode_16_0::kUpper} == layout::kUpper &&
              u32{unicode_16_0::kLower} == layout::kLower && u32{unicode_16_0::kCaseless} == layout::kCaseless &&
              u32{unicode_16_0::kMark} == layout::kMark && u32{unicode_16_0::kNumber} == layout::kNumber &&
              u32{unicode_16_0::kSpace} == layout::kSpace && u32{unicode_16_0::kNewline} == layout::kNewline);

// One step in a text that may continue after `size` (unless `last`).
struct Walk {
    const u8* text;
    size_t size;
    bool last;
    bool needs_more_text = false;  // the step depends on later text

    using Offset = size_t;

    // Whether a character (and a contraction) can be read at i.
    bool has(size_t i) {
        if (last) return i < size;
        needs_more_text = needs_more_text || i + 4 > size;
        return !needs_more_text;
    }
    static constexpr bool stops_at(size_t) { return false; }
    bool ends_at(size_t i) const { return i == size; }
    u32 byte(size_t i) const { return text[i]; }
    layout::PieceCharacter<Walk> at(size_t i) const {
        const Character c = decode_character(text + i);
        return {text[i], unicode_16_0::class_of(c.code_point), i + c.length};
    }
};

}  // namespace crayon::CRAYON_KERNEL
