// Between which characters a text can be cut that a pattern splits, whatever else is around them: what is before the cut, and
// what follows it, is split as in the whole.
//
// No match reads both: from every state to which the first one leads, the automaton stops at the second, and a match ends before
// it just where it would end before the end of the text. So a match that begins before the cut ends there at the latest, and one
// begins there whatever was before. And a piece ends there, because one of the two is in a match wherever it is, and the other is in
// another match or in a gap; or because the second is dropped. What is dropped stays with what follows it: alone it would be a word
// without ids.
#pragma once

#include "crayon/layout/pattern.h"
#include "scan/pattern_tables.h"

namespace crayon {

class PatternBreaks {
public:
    // Of the only pattern that splits a text.
    explicit PatternBreaks(const layout::Pattern& pattern);

    // By the classes of the characters.
    bool between(u32 before, u32 after) const { return breaks_[before][after / 64] >> after % 64 & 1; }

private:
    static constexpr u32 kClasses = layout::kMaxPatternClasses + 1;
    u64 breaks_[kClasses][kClasses / 64];
};

}  // namespace crayon
