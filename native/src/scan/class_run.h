// Text whose characters are all of one class: in every pattern such a text is one piece, and so is each part of it,
// unless its characters are numbers, which some patterns count.
#pragma once

#include "base/utf8.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// Reads up to 3 bytes after the text. Not for a text without a pretokenizer.
inline bool is_class_run(const u8* text, size_t length) {
    if (length == 0) return false;
    const unicode_16_0::Class first = unicode_16_0::class_of(decode_character(text).code_point);
    if (first == unicode_16_0::kNumber) return false;
    for (size_t at = 0; at < length;) {
        const Character character = decode_character(text + at);
        if (unicode_16_0::class_of(character.code_point) != first) return false;
        at += character.length;
    }
    return true;
}

}  // namespace crayon
