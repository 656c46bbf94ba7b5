// Runs of characters of which every part, alone, is one piece: by which classes, depends on the pattern. (Not numbers
// where those are counted.)
#pragma once

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// The classes, as bits, of the runs that a character belongs to; 0 if there are none. Reads up to 3 bytes after it.
inline u32 classes_of_run(u32 scanner, const u8* character) {
    using namespace unicode_16_0;
    const auto is_one_of = [](u32 classes, Class of) { return (classes >> of & 1) != 0; };
    constexpr u32 kLetters = 1 << kUpper | 1 << kLower | 1 << kCaseless, kOthers = 1 << kOther | 1 << kMark;
    constexpr u32 kLowerLetters = 1 << kLower | 1 << kCaseless | 1 << kMark;
    const Class first = class_of(decode_character(character).code_point);
    if (first == kSpace || first == kNewline) return 1 << first;
    if (first == kNumber) return scanner == layout::kGpt2 ? 1 << kNumber : 0;
    if (scanner == layout::kO200k) return is_one_of(kLowerLetters, first) ? kLowerLetters : 1 << first;
    return is_one_of(kLetters, first) ? kLetters : kOthers;
}

// Whether all characters of a text are of these classes. Reads up to 3 bytes after it.
inline bool are_all_of(u32 classes, const u8* text, size_t length) {
    for (size_t at = 0; at < length;) {
        const Character character = decode_character(text + at);
        if ((classes >> unicode_16_0::class_of(character.code_point) & 1) == 0) return false;
        at += character.length;
    }
    return true;
}

}  // namespace crayon
