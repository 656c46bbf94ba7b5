// Punctuation as BertPreTokenizer of Hugging Face has it: that of ASCII, which includes its symbols, and \p{P} of an older
// version of Unicode (2,048 pages asked one by one; scripts/generate-punctuation.mjs).
#pragma once

#include "base/integers.h"
#include "scan/unicode_16_0.h"

namespace crayon {

// Bit i: the page's character i.
u64 bert_punctuation_of_page(u32 page);

// A set of characters as those of scan/symbols.h.
struct BertPunctuation {
    static constexpr bool kAny = true, kOnlyOther = false;
    static u64 of_page(u32 page) { return bert_punctuation_of_page(page); }
    static bool has(u32 code_point, unicode_16_0::Class) {
        return (of_page(code_point >> unicode_16_0::kPageShift) >> (code_point % 64) & 1) != 0;
    }
};

}  // namespace crayon
