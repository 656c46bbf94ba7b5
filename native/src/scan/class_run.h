// Runs of characters in which every part, alone, is one piece: the classes depend on the pattern. (Not numbers, if they are
// grouped.)
#pragma once

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"
#include "scan/symbols.h"
#include "scan/unicode_16_0.h"

namespace crayon {

inline constexpr u32 kOfCjk = 8;

// The class of a character. For deepseek3, characters of kOther that are not symbols have a separate class, and so does
// each class of ideographs and kana.
inline u32 class_in_run(u32 pretokenizer, u32 code_point) {
    constexpr u32 kRest = 2 * kOfCjk;
    const unicode_16_0::Class kind = unicode_16_0::class_of(code_point);
    if (pretokenizer != layout::kDeepseek3) return kind;
    const bool is_rest = kind == unicode_16_0::kOther && !is_symbol(code_point);
    return (is_rest ? kRest : u32{kind}) + (is_ideograph_or_kana(code_point) ? kOfCjk : 0);
}

// The classes, as bits, of the runs that a character of this class belongs to; 0 if there are none.
inline u32 classes_of_run(u32 pretokenizer, u32 character) {
    using namespace unicode_16_0;
    constexpr u32 kLetters = 1 << kUpper | 1 << kLower | 1 << kCaseless, kOthers = 1 << kOther | 1 << kMark;
    constexpr u32 kLowerLetters = 1 << kLower | 1 << kCaseless | 1 << kMark;
    if (pretokenizer == layout::kPatternPretokenizer || pretokenizer == layout::kNoPretokenizer) return 0;
    if (pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit || pretokenizer == layout::kMetaspace) return 0;
    const u32 own = 1 << character;
    if (pretokenizer == layout::kDeepseek3) {
        const u32 words = (kLetters | 1 << kMark) << (character & kOfCjk);
        return own & words ? words : character == kNumber ? 0 : own;
    }
    if (own & (1 << kSpace | 1 << kNewline)) return own;
    if (character == kNumber) return pretokenizer == layout::kGpt2 ? own : 0;
    if (pretokenizer == layout::kO200k || pretokenizer == layout::kTekken) return own & kLowerLetters ? kLowerLetters : own;
    return own & kLetters ? kLetters : kOthers;
}

// The classes of the run that a text forms, 0 if it is not a run; with `classes`, only those are tried. Reads up to 3 bytes
// past it.
inline u32 class_run(u32 pretokenizer, u32 classes, const u8* text, size_t length) {
    for (size_t at = 0; at < length;) {
        const Character character = decode_character(text + at);
        const u32 kind = class_in_run(pretokenizer, character.code_point);
        if (classes == 0) classes = classes_of_run(pretokenizer, kind);
        if ((classes >> kind & 1) == 0) return 0;
        at += character.length;
    }
    return classes;
}

}  // namespace crayon
