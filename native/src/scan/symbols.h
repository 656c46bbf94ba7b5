// Distinctions that deepseek3 makes beyond the classes of unicode_16_0.h: punctuation and symbols versus the rest of
// kOther, and [一-龥\u3040-ゟ゠-ヿ], Chinese ideographs and Japanese kana, versus all other characters.
#pragma once

#include "base/integers.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// Bit i: whether the page's character i is punctuation or a symbol, if its class is kOther.
u64 symbols_of_page(u32 page);

// For a character of kOther.
[[gnu::always_inline]] inline bool is_symbol(u32 code_point) {
    return (symbols_of_page(code_point >> unicode_16_0::kPageShift) >> (code_point % 64) & 1) != 0;
}

[[gnu::always_inline]] inline bool is_ideograph_or_kana(u32 code_point) {
    return code_point - 0x4E00 <= 0x9FA5 - 0x4E00 || code_point - 0x3040 <= 0x30FF - 0x3040;
}

// The sets of characters that pattern families call symbols. kOnlyOther: the set covers kOther, and comes with ideographs
// and kana; otherwise it may contain any characters.
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
