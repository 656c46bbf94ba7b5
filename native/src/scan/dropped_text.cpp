#include "scan/dropped_text.h"

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

}  // namespace crayon
