// Safe split points that hold in any context: a piece ends there, and the text before it has the same pieces as alone. For
// the patterns of gpt2, cl100k, o200k, qwen2, tekken and deepseek3. (parallel/cuts.h has cuts that are checked afterwards.)
//
// 1. Before a space or a tab that follows a non-whitespace ASCII character. Such whitespace matches only at the beginning
//    of an alternative ( ?, [^\r\n\p{L}\p{N}]?) and in runs of whitespace, so no piece has it after another character.
// 2. After a line feed, before a non-whitespace character; not for gpt2, and for o200k and tekken not before a slash. Line
//    feeds are only in \s*[\r\n]+ and after runs of others, [\r\n]*: each takes all line feeds it can, including the last
//    one before the position. (gpt2 leaves the last one of a run of whitespace as a separate piece if text follows.)
// 3. Between an ideograph and a Chinese or Japanese comma or full stop. Ideographs are only in runs of letters (and marks),
//    and the comma and full stop are neither; in deepseek3 they are symbols, which other patterns match.
// 4. NFC (normalize/nfc.h) changes neither side of such a point because of the other, nor the point: the text after it
//    begins with a space, a tab or a full stop, which compose with nothing before them, or it follows a line feed, with
//    which nothing composes; and no character becomes whitespace, a slash or one of these.
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

inline bool has_safe_splits(u32 pretokenizer) {
    return pretokenizer == layout::kGpt2 || pretokenizer == layout::kCl100k || pretokenizer == layout::kO200k ||
           pretokenizer == layout::kQwen2 || pretokenizer == layout::kTekken || pretokenizer == layout::kDeepseek3;
}

// 0 < at < size, has_safe_splits(pretokenizer).
inline bool is_safe_split(const u8* text, u64 at, u64 size, u32 pretokenizer) {
    const u8 before = text[at - 1], after = text[at];
    if (after == ' ' || after == '\t') return before > ' ' && before < 0x80;
    if (before == '\n') {
        // Some of the characters with these first bytes are whitespace.
        const bool may_be_whitespace = after <= ' ' || after == 0xC2 || (after >= 0xE1 && after <= 0xE3);
        const bool takes_slashes = pretokenizer == layout::kO200k || pretokenizer == layout::kTekken;
        return !may_be_whitespace && pretokenizer != layout::kGpt2 && !(takes_slashes && after == '/');
    }
    if (after < 0xE3 || at < 3 || size - at < 3) return false;
    const u32 comma = u32{after} << 16 | u32{text[at + 1]} << 8 | text[at + 2];
    if (comma != 0xE38081 && comma != 0xE38082 && comma != 0xEFBC8C) return false;  // U+3001, U+3002, U+FF0C
    return text[at - 3] >= 0xE5 && text[at - 3] <= 0xE9 && is_continuation(text[at - 2]) &&
           is_continuation(before);  // U+5000 … U+9FFF
}

}  // namespace crayon
