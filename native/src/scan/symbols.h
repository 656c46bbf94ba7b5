// The sets of characters that pattern families call symbols, beyond the classes of unicode_16_0.h. deepseek3 distinguishes
// punctuation and symbols from the rest of kOther, and [一-龥\u3040-ゟ゠-ヿ], Chinese ideographs and Japanese kana, from all
// other characters.
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

// Punctuation as in Hugging Face's BertPreTokenizer: ASCII punctuation and symbols, and \p{P} of an older Unicode version (2,048
// pages, probed one by one; punctuation.cpp).

// Bit i: the page's character i.
u64 bert_punctuation_of_page(u32 page);

// A character set in the form of scan/symbols.h.
struct BertPunctuation {
    static constexpr bool kAny = true, kOnlyOther = false;
    static u64 of_page(u32 page) { return bert_punctuation_of_page(page); }
    static bool has(u32 code_point, unicode_16_0::Class) {
        return (of_page(code_point >> unicode_16_0::kPageShift) >> (code_point % 64) & 1) != 0;
    }
};

// Ideographs as in BertNormalizer, including its mistake at U+2B920.
inline constexpr u32 kBertIdeographs[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
                                             {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};

// Whole pages, except at the ends of a few ranges.
struct BertPunctuationAndIdeographs {
    static constexpr bool kAny = true, kOnlyOther = false;
    // In the caseless run that contains U+4E00…U+9FFF.
    static constexpr bool kHasIdeographs = true;
    static bool is_ideograph(u32 code_point) {
        for (const auto& [first, last] : kBertIdeographs) {
            if (code_point - first <= last - first) return true;
        }
        return false;
    }
    static u64 of_page(u32 page) {
        u64 found = bert_punctuation_of_page(page);
        for (u32 i = 0; i < 64; ++i) found |= u64{is_ideograph(page * 64 + i)} << i;
        return found;
    }
    static bool has(u32 code_point, unicode_16_0::Class kind) {
        return is_ideograph(code_point) || BertPunctuation::has(code_point, kind);
    }
};

}  // namespace crayon
