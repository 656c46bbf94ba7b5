// Classes of characters that decide where a text is cut (separators.h). TextView::kNone is in none of them.
#pragma once

#include "base/integers.h"

namespace crayon {

constexpr bool is_within(u32 code, u32 first, u32 last) { return code - first <= last - first; }

constexpr bool is_line_break(u32 code) { return code == '\n' || code == '\r'; }
// Whether a line begins between these bytes, after a line break.
constexpr bool is_line_begin(u32 before, u32 after) { return before == '\n' || (before == '\r' && after != '\n'); }
// An ASCII space or tab, which is the same in any encoding.
constexpr bool is_ascii_blank(u32 code) { return code == ' ' || code == '\t' || code == '\v' || code == '\f'; }
// The columns that a tab takes in an indentation.
constexpr u32 kTab = 4;

constexpr bool is_digit(u32 code) { return is_within(code, '0', '9'); }
constexpr bool is_ascii_letter(u32 code) { return is_within(code | 0x20, 'a', 'z'); }

// Spaces at which a line may break: no-break spaces are none.
bool is_blank(u32 code);
inline bool is_space(u32 code) { return is_line_break(code) || is_blank(code); }

// The ends of sentences; those that need no space after them (CJK, Indic, Tibetan, Khmer, Myanmar, Ethiopic).
bool is_stop(u32 code);
bool is_unspaced_stop(u32 code);
// Brackets and quotes.
bool is_opener(u32 code);
bool is_closer(u32 code);
// What may not begin a line in Japanese: small kana, marks that belong to the previous character, closers, stops.
bool is_non_starter(u32 code);

bool is_han(u32 code);
constexpr bool is_hiragana(u32 code) { return is_within(code, 0x3040, 0x309F); }
constexpr bool is_katakana(u32 code) { return is_within(code, 0x30A0, 0x30FF) || is_within(code, 0x31F0, 0x31FF); }
// Characters of scripts without spaces, with the punctuation that they use.
bool is_unspaced(u32 code);
// Lower case of the Latin, Greek and Cyrillic alphabets: letters that often begin words.
bool is_lower_case(u32 code);
// Letters, digits, marks, `_` and apostrophes; in other scripts, anything but punctuation.
bool is_word_character(u32 code);

}  // namespace crayon
