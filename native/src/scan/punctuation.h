// Punctuation as in Hugging Face's BertPreTokenizer: ASCII punctuation and symbols, and \p{P} of an older Unicode version
// (2,048 pages, probed one by one; scripts/generate-punctuation.mjs).
#pragma once

#include "base/integers.h"
#include "scan/unicode_16_0.h"

namespace crayon {

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
