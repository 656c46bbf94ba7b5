// What is known of the tokens of a text, for parts whose pieces do not meet: where digits are counted in threes, a part
// that begins at the second has other groups than one that begins at the first, up to the last digit. So a few chains of
// tokens (text_tokens.h) are kept, and a part continues the one that has a piece where it begins.
#pragma once

#include "text_tokens.h"

namespace crayon {

class TextChains {
public:
    explicit TextChains(Encoder& encoder) : chains_{TextTokens(encoder), TextTokens(encoder), TextTokens(encoder)} {}

    // The chain of the part that begins.
    TextTokens& begin(const TextTokens::Text& text);
    // Forgets the text.
    void restart();
    // The memory of the text may change.
    void end_text();

private:
    static constexpr u32 kChains = 3;
    TextTokens chains_[kChains];
    u32 used_ = 1, current_ = 0;
};

}  // namespace crayon
