#include "scan/dropped_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

DroppedText::DroppedText(u32 pretokenizer, const Patterns& patterns, const Patterns& inner)
    : patterns_(&patterns), inner_(&inner) {
    if (pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit) kind_ = kWhitespace;
    if (pretokenizer == layout::kPatternPretokenizer && (patterns.drops_any() || inner.drops_any())) kind_ = kClasses;
}

u32 DroppedText::character_at(const u8* text, u32 length) const {
    const Character character = decode_character(text);
    if (character.length > length) return 0;
    return patterns_->drops(character.code_point) || inner_->drops(character.code_point) ? character.length : 0;
}

u32 DroppedText::leading_characters(const u8* text, u32 length) const {
    u32 begin = 0;
    while (begin < length) {
        const u32 character = character_at(text + begin, length - begin);
        if (character == 0) break;
        begin += character;
    }
    return begin;
}

u32 DroppedText::extent(const u8* text, size_t size, u32 length) const {
    size_t end = 0;
    while (length > 0 && end < size) {
        const u32 left = left_out(text + end, size - end);
        const u32 kept = left > 0 ? 0 : std::min(length, by_character_ ? character_in(text, end, size).length : 1);
        length -= kept;
        end += left + kept;
    }
    return static_cast<u32>(end);
}

// No token contains bytes that are not UTF-8.
u32 DroppedText::left_out_character(const u8* text, size_t size) const {
    const Character character = character_in(text, 0, size);
    const bool is_kept = (*text < 0x80 || character.length > 1) && layout::announced_length(*text) == character.length &&
                         std::binary_search(only_.begin(), only_.end(), character.code_point);
    return is_kept ? 0 : character.length;
}

}  // namespace crayon
