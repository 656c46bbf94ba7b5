// What is known of the tokens of a text, for parts whose pieces do not meet: where digits are counted in threes, a part
// that begins at the second has other groups than one that begins at the first, up to the last digit. So a few chains
// of tokens (text_tokens.h) are kept, and a part continues the one that has a piece where it begins.
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
    // The memory of the text may change.
    void end_text();

    // Text that decides nothing up to `end`, so that parts are found as if it ended after `needed` bytes of each.
    struct Waiting {
        const u8* bytes;
        u32 begin, end, needed;
    };
    const Waiting& waiting() const { return waiting_; }
    void wait(const Waiting& waiting) { waiting_ = waiting; }
    // A part had so many bytes: the next one will have about as many.
    void expect(u32 bytes) { waiting_.needed = bytes + bytes / 4 + kSpare; }

private:
    static constexpr u32 kSpare = 64;
    static constexpr u32 kChains = 3;
    TextTokens chains_[kChains];
    u32 used_ = 1, current_ = 0;
    Waiting waiting_ = {};
};

}  // namespace crayon
