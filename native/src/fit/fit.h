// Fits a text into a number of tokens: finds how much of it, encoded alone, stays within a limit.
//
// Cutting a text off may change its tokens: the last piece may be split another way ("  x" is " ", " x"; alone, "  " is one
// piece). So a cut is chosen by the tokens of the whole text, and the part is then counted as it will be encoded, alone.
//
//   start ──── decided ──── seen ──── end      given the text up to `seen`, pieces up to `decided` are final, so
//                  └─ counted alone ─┘         every part that ends after `seen` has them too, and only the text
//                                              after `decided` is counted again
//
// If the count is too high, the end moves back by tokens of the text, first one by one, then in steps that double, so no
// text makes this quadratic. A piece much longer than the remaining tokens is not read to its end; it is cut by the tokens
// of its beginning. Text that decides nothing for long, such as a run of marks that a normalizer may sort, is not read to
// its end either: it is cut as though it ended where reading stopped.
//
// The tokens of the text are kept from one part to the next (text_tokens.h).
#pragma once

#include "fit/fit_cache.h"

namespace crayon {

class Fit {
public:
    using Text = TextTokens::Text;
    // Keeps references to the text and to the cache. The cache's encoder must have the policy set, and is given other texts.
    Fit(FitCache& cache, const Text& text) : cache_(cache), encoder_(cache.encoder()), text_(text) { cache.refresh(); }

    struct Part {
        u32 end;            // `start` if not even one character fits
        u32 tokens;         // of the part; of the first character if that does not fit
        u32 overlap_begin;  // the start of its last `overlap` tokens, or of the first character after that
        bool more;          // the part depends on text still to come; nothing else is set
    };
    // Finds the part that begins at `start`, the first byte of a character. Fails with encoding errors. Even with a damaged
    // cartridge, start ≤ overlap_begin ≤ end, all between characters of the text.
    Status cut(u32 start, u32 limit, u32 overlap, Part* part);

private:
    // The tokens of a part encoded alone: the first `kept` are tokens of the text; the ends of the others are in known_ or
    // offsets_.
    struct Count {
        u32 kept, tokens;
    };

    Status know(u32 limit, bool* over, Part* part);
    Status know_by_encoder(u32 limit, bool* over, Part* part);
    Status read_ends(u32 limit, u32 stop, bool last, u32 patience, u32* read_to);
    u32 known_end(u32 token) { return known_ ? known_->end(token) : ends_[token]; }
    Status choose_end(u32 limit, Part* part, Count* count);
    Status choose_character(u32 limit, u32 most, Part* part, Count* count);
    Status count_alone(u32 token, u32 end, u32 limit, Count* count);
    Status count_from(u32 begin, u32 kept, u32 end, u32 limit, Count* count);
    u32 shortened(u64 length) const;
    u32 overlap_begin(u32 overlap, const Part& part, const Count& count);
    u32 character_end(u32 at) const;
    bool is_boundary(u32 at) const;

    FitCache& cache_;
    Encoder& encoder_;
    const Text text_;
    u32 start_ = 0;
    TextTokens* known_ = nullptr;  // from the part on; WordPiece and Unigram use ends_ instead
    Buffer<u32> ends_;             // of the text's tokens
    bool is_short_ = false;        // treat the text as ending earlier than it does
    bool is_tail_known_ = false;
    Buffer<u32> ids_, offsets_;
};

}  // namespace crayon
