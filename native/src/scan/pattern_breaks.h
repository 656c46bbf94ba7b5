// Between which characters a text split by a pattern can be cut, regardless of the rest of the text: the parts before and after
// the cut split as they do in the whole text.
//
// No match spans the cut: from every state that the first character leads to, the automaton stops at the second one, and it ends
// a match there exactly if it would at the end of the text. So a match that begins before the cut ends there at the latest, and
// the scan starts anew at the cut. A piece also ends there: either one of the two characters always is in a match, and the other
// one in another match or in a gap, or the second one is dropped. A dropped character stays with the text after it: alone it
// would be a word without ids.
#pragma once

#include "crayon/layout/pattern.h"
#include "scan/pattern_tables.h"

namespace crayon {

class PatternBreaks {
public:
    // For the only pattern that splits a text.
    explicit PatternBreaks(const layout::Pattern& pattern);

    // Takes the classes of the two characters.
    bool between(u32 before, u32 after) const { return breaks_[before][after / 64] >> after % 64 & 1; }

private:
    static constexpr u32 kClasses = layout::kMaxPatternClasses + 1;
    u64 breaks_[kClasses][kClasses / 64];
};

}  // namespace crayon
