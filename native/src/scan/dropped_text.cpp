#include "scan/dropped_text.h"

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

DroppedText::DroppedText(u32 pretokenizer, const Patterns& patterns) : patterns_(&patterns) {
    if (pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit) kind_ = kWhitespace;
    if (pretokenizer != layout::kPatternPretokenizer) return;
    for (u32 i = 0; i < patterns.count; ++i) {
        if (patterns.tables[i].drops_any()) kind_ = kClasses;
    }
}

u32 DroppedText::character_at(const u8* text, u32 length) const {
    const Character character = decode_character(text);
    if (character.length > length) return 0;
    for (u32 i = 0; i < patterns_->count; ++i) {
        if (patterns_->tables[i].drops(character.code_point)) return character.length;
    }
    return 0;
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
