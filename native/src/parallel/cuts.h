// Where to cut a long text: a guess, which is checked when the parts are joined (chain.h), so it may be wrong.
//
// A cut before whitespace other than CR and LF that follows non-whitespace is always right, unless it is inside an added
// token: such whitespace matches only at the beginning of an alternative ( ?, [^\r\n\p{L}\p{N}]?) and in runs of
// whitespace, in every pattern of scan/; so no piece has it after a non-whitespace character, and a piece ends there. (0
// failures in 747,000 cuts of five patterns, 2026-11.)
//
// Other cuts are mostly right: after a newline and before non-whitespace (always for cl100k, qwen2 and deepseek3; not for
// gpt2, nor for o200k and tekken before a slash), and before the comma or full stop of a Chinese or Japanese sentence,
// unless it follows other punctuation.
//
// BPE without a pretokenizer has pieces that end between two bytes that no token joins (scan/unjoined.h): such a position
// is right, unless it is inside an added token.
#pragma once

#include "base/integers.h"
#include "base/utf8.h"

namespace crayon {

inline bool is_before_blank(const u8* text, u64 at) {
    return (text[at] == ' ' || text[at] == '\t') && text[at - 1] > ' ';  // few non-ASCII characters are whitespace
}
inline bool is_after_newline(const u8* text, u64 at) { return text[at - 1] == '\n' && text[at] > ' '; }
// Whether U+3001, U+3002 or U+FF0C follows, within text[0, end).
inline bool is_before_comma(const u8* text, u64 at, u64 end) {
    if (text[at] < 0xE3 || end - at < 3) return false;
    const u32 bytes = u32{text[at]} << 16 | u32{text[at + 1]} << 8 | text[at + 2];
    return bytes == 0xE38081 || bytes == 0xE38082 || bytes == 0xEFBC8C;
}

// The position of a cut, at most `back` bytes before `wanted`; depends on text[0, wanted] only. wanted < the size of the text.
inline u64 cut_near(const u8* text, u64 wanted, u64 back) {
    const u64 first = wanted > back ? wanted - back : 1;
    u64 next_best = 0;
    for (u64 at = wanted; at >= first && at > 0; --at) {
        if (is_before_blank(text, at)) return at;
        if (next_best == 0 && (is_after_newline(text, at) || is_before_comma(text, at, wanted + 1))) next_best = at;
    }
    if (next_best > 0) return next_best;
    // Otherwise, the start of a character.
    for (u64 at = wanted; at >= first && wanted - at < 4; --at) {
        if (!is_continuation(text[at])) return at;
    }
    return wanted;
}

// The last position for which splits_between(byte, byte) holds; 0 if there is none.
template <class CutsBetween>
u64 cut_where(const u8* text, u64 wanted, u64 back, const CutsBetween& splits_between) {
    const u64 first = wanted > back ? wanted - back : 1;
    for (u64 at = wanted; at >= first && at > 0; --at) {
        if (splits_between(text[at - 1], text[at])) return at;
    }
    return 0;
}

}  // namespace crayon
