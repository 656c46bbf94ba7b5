#include "text_chains.h"

#include <algorithm>

namespace crayon {

void TextChains::restart() {
    for (u32 i = 0; i < used_; ++i) chains_[i].restart();
    used_ = 1;
    current_ = 0;
}

void TextChains::end_text() {
    for (u32 i = 0; i < used_; ++i) chains_[i].end_text();
}

TextTokens& TextChains::begin(const TextTokens::Text& text) {
    if (used_ > 1 && !chains_[current_].has_piece_at(text)) {
        for (u32 i = 0; i < used_; ++i) {
            if (i != current_ && chains_[i].has_piece_at(text)) {
                current_ = i;
                break;
            }
        }
    }
    if (chains_[current_].begin(text) == TextTokens::kApart) {
        current_ = (current_ + 1) % kChains;
        used_ = std::max(used_, current_ + 1);
        chains_[current_].restart();
        chains_[current_].begin(text);
    }
    return chains_[current_];
}

}  // namespace crayon
