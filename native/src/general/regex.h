// A pattern of the reference, matched by backtracking: what Oniguruma finds in a whole text.
//
// lib/patterns compiles a pattern to a program (layout/regex.h): words that a cartridge carries and that are used in place.
// check_regex is its gate; after it, nothing is checked.
#pragma once

#include <cstddef>

#include "base/integers.h"
#include "base/status.h"

namespace crayon::general {

// OK if `words` are a program that Regex can run on every text: then each jump is inside, each loop advances or stops, and no
// register is out of range. CORRUPT_STRUCTURE, with the index of the word at fault as position, if not; OUT_OF_MEMORY. Cost: linear.
Status check_regex(const u32* words, size_t count);

struct Match {
    bool found;
    size_t begin, end;  // bytes of the text; begin ≤ end if found, except where \K is in a lookahead
};

// The matcher of one program, with the memory that it works in: one per thread. Texts are UTF-8; a byte that is not counts as
// U+FFFD. Cost: linear in text × program, over all matches of a text, unless the program has a backreference, a recursive call,
// an absent group or a repetition that is counted (layout/regex.h). These have a budget of steps for a text: PATTERN_BUDGET, with
// the position in the text from which a match was sought, if it is used up.
class Regex {
public:
    // `words` pass check_regex and outlive this.
    explicit Regex(const u32* words);
    ~Regex();
    Regex(const Regex&) = delete;
    Regex& operator=(const Regex&) = delete;

    // Begins a text, which must stay as it is until the next one. No memory is kept from the text before.
    void start(const u8* text, size_t size);
    // The leftmost match that begins at `from` or later; `from` is where a character begins, or the end.
    Status find(size_t from, Match& match);
    // The next match of the text, as the reference's iterator has it (find_iter of the crate `onig`): matches do not overlap, and no
    // empty one follows a match at once.
    Status next(Match& match);

private:
    class Run;
    Run* run_ = nullptr;
};

}  // namespace crayon::general
