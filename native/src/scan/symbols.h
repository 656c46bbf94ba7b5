// What deepseek3 tells apart and the classes of unicode_16_0.h do not: punctuation and symbols from the rest of kOther,
// and the characters of [一-龥\u3040-ゟ゠-ヿ], Chinese ideographs and Japanese kana, from all others.
#pragma once

#include "base/integers.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// Bit i: if the class of the page's character i is kOther, it is punctuation or a symbol.
u64 symbols_of_page(u32 page);

// For a character of kOther.
[[gnu::always_inline]] inline bool is_symbol(u32 code_point) {
    return (symbols_of_page(code_point >> unicode_16_0::kPageShift) >> (code_point % 64) & 1) != 0;
}

[[gnu::always_inline]] inline bool is_ideograph_or_kana(u32 code_point) {
    return code_point - 0x4E00 <= 0x9FA5 - 0x4E00 || code_point - 0x3040 <= 0x30FF - 0x3040;
}

// The sets of characters that families of patterns call symbols. kOnlyOther: a set of characters of kOther, together with
// ideographs and kana; else a set of any.
struct NoSymbols {
    static constexpr bool kAny = false, kOnlyOther = false;
    static u64 of_page(u32) { return 0; }
    static bool has(u32, unicode_16_0::Class) { return false; }
};
struct PunctuationAndSymbols {
    static constexpr bool kAny = true, kOnlyOther = true;
    static u64 of_page(u32 page) { return symbols_of_page(page); }
    static bool has(u32 code_point, unicode_16_0::Class kind) { return kind == unicode_16_0::kOther && is_symbol(code_point); }
};

}  // namespace crayon
