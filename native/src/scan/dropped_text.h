// Text that a pretokenizer drops: characters without ids, in any context. It begins the piece after it, which halves the
// number of pieces; nothing else of a piece is dropped, so no token begins with such a character.
#pragma once

#include "base/utf8.h"
#include "base/whitespace.h"
#include "crayon/layout/cartridge.h"
#include "scan/pattern_tables.h"

namespace crayon {

class DroppedText {
public:
    DroppedText() = default;
    // The text that a pretokenizer drops; `patterns` must outlive this, and is used with kPatternPretokenizer.
    DroppedText(u32 pretokenizer, const Patterns& patterns, const Patterns& inner) : patterns_(&patterns), inner_(&inner) {
        if (pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit) kind_ = kWhitespace;
        if (pretokenizer == layout::kPatternPretokenizer && (patterns.drops_any() || inner.drops_any())) kind_ = kClasses;
    }

    bool any() const { return kind_ != kNothing; }
    // The length of the dropped character at the start of text[0, length), or 0. 3 more bytes must be readable.
    u32 at(const u8* text, u32 length) const {
        return kind_ == kWhitespace ? whitespace_at(text, length) : kind_ == kClasses ? character_at(text, length) : 0;
    }
    // The length of the dropped text at the start of text[0, length).
    u32 leading(const u8* text, u32 length) const {
        return kind_ == kWhitespace ? leading_space(text, length) : kind_ == kClasses ? leading_characters(text, length) : 0;
    }

private:
    enum Kind : u8 { kNothing, kWhitespace, kClasses };

    u32 character_at(const u8* text, u32 length) const {
        const Character character = decode_character(text);
        if (character.length > length) return 0;
        return patterns_->drops(character.code_point) || inner_->drops(character.code_point) ? character.length : 0;
    }
    u32 leading_characters(const u8* text, u32 length) const {
        u32 begin = 0;
        while (begin < length) {
            const u32 character = character_at(text + begin, length - begin);
            if (character == 0) break;
            begin += character;
        }
        return begin;
    }

    Kind kind_ = kNothing;
    const Patterns* patterns_ = nullptr;
    const Patterns* inner_ = nullptr;
};

}  // namespace crayon
