// The known tokens of a text, for parts whose pieces never meet: where digits are grouped in threes, a part that begins at
// the second digit has different groups from one that begins at the first, up to the last digit. So a few chains of tokens
// (text_tokens.h) are kept, and a part continues the chain with a piece boundary at its beginning.
#pragma once

#include "fit/text_tokens.h"

namespace crayon {

class TextChains {
public:
    explicit TextChains(FitCache& cache) : chains_{TextTokens(cache), TextTokens(cache), TextTokens(cache)} {}

    // The chain of the part that begins; see TextTokens::begin.
    TextTokens& begin(const TextTokens::Text& text, u32 start, u32 wanted);
    // Forgets the text.
    void restart();
    // The text's memory may change.
    void end_text();

    // Text up to `end` decides nothing, so each part is found as though the text ended after `needed` bytes.
    struct Waiting {
        const u8* bytes;
        u32 begin, end, needed;
    };
    const Waiting& waiting() const { return waiting_; }
    void wait(const Waiting& waiting) { waiting_ = waiting; }
    // A part had `bytes` bytes: the next will have about as many.
    void expect(u32 bytes) { waiting_.needed = bytes + bytes / 4 + kSpare; }

private:
    static constexpr u32 kSpare = 64;
    static constexpr u32 kChains = 3;
    TextTokens chains_[kChains];
    u32 used_ = 1, current_ = 0;
    Waiting waiting_ = {};
};

}  // namespace crayon
