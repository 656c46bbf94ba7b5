// Fits a text into a number of tokens: finds how much of it, encoded alone, stays within a limit.
//
// Where a text is cut off, its tokens may change: the last piece may be split in another way ("  x" is " ", " x";
// alone, "  " is one piece). So a cut is chosen by the tokens of the whole text, and then the part is counted as it
// will be encoded, alone.
//
//   start ──── decided ──── seen ──── end      with the text up to `seen`, pieces up to `decided` are final, whatever
//                  └─ counted alone ─┘         follows; so every part that ends after `seen` has them too, and only
//                                              the text after `decided` is counted again
//
// If the count is too high, the end moves back by tokens of the text, first one by one, then in steps that double: no
// text makes this quadratic. A piece that is much longer than the remaining tokens is not read to its end; it is cut by
// the tokens of its beginning. Nor is text that decides nothing for long, such as a run of marks that a normalizer may
// sort: it is cut as if it ended where reading has stopped.
//
// The tokens of the text are kept from one part to the next (text_tokens.h).
#pragma once

#include "fit/fit_cache.h"

namespace crayon {

class Fit {
public:
    using Text = TextTokens::Text;
    // Keeps references to the cache, whose encoder has the policy, and gets other texts, and to the text.
    Fit(FitCache& cache, const Text& text) : cache_(cache), encoder_(cache.encoder()), text_(text) { cache.refresh(); }

    struct Part {
        u32 end;            // `start` if not even one character fits
        u32 tokens;         // of the part; of the first character if that does not fit
        u32 overlap_begin;  // where its last `overlap` tokens begin, or the first character after that
        bool more;          // the part depends on text that follows; nothing else is set
    };
    // Finds the part that begins at `start`, the first byte of a character. Fails as encoding does. Whatever the tables
    // of a damaged cartridge say, start ≤ overlap_begin ≤ end, between characters of the text.
    Status cut(u32 start, u32 limit, u32 overlap, Part* part);

private:
    // The tokens of a part that is encoded alone: the first `kept` are those of the text, the others end where known_
    // says, or at offsets_.
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
    TextTokens* known_ = nullptr;  // from the part on; for WordPiece and Unigram: ends_ instead
    Buffer<u32> ends_;             // of tokens of the text
    bool is_short_ = false;        // as if the text ended before it does
    bool is_tail_known_ = false;
    Buffer<u32> ids_, offsets_;
};

}  // namespace crayon
