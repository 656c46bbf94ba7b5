// What separates words for BERT and for pretokenizers like it, by definition.
#pragma once

#include "naive/unicode_properties.h"

namespace crayon::naive {

inline bool is_white_space(char32_t c) { return (properties_of(c) & properties_named("White_Space")) != 0; }

inline bool is_bert_punctuation(char32_t c) {
    static constexpr struct {
        char32_t first, last;
    } kRanges[] = {
#define RANGE(first, last) {first, last},
#include "naive/bert_punctuation.inc"
    };
    for (const auto& [first, last] : kRanges) {
        if (c >= first && c <= last) return true;
    }
    return false;
}

}  // namespace crayon::naive
