#include "fit/text_chains.h"

namespace crayon {

void TextChains::restart() {
    for (u32 i = 0; i < used_; ++i) chains_[i].restart();
    used_ = 1;
    current_ = 0;
    waiting_ = {};
}

void TextChains::end_text() {
    waiting_ = {};
    for (u32 i = 0; i < used_; ++i) chains_[i].end_text();
}

TextTokens& TextChains::begin(const TextTokens::Text& text, u32 start, u32 wanted) {
    for (u32 i = 0; used_ > 1 && i < used_; ++i) {
        if (chains_[i].has_piece_at(text, start)) current_ = i;
    }
    if (!chains_[current_].begin(text, start, wanted)) {
        current_ = (current_ + 1) % kChains;
        if (used_ == current_) ++used_;
        chains_[current_].restart();
        chains_[current_].begin(text, start, wanted);
    }
    return chains_[current_];
}

}  // namespace crayon
