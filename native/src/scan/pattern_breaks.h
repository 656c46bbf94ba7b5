// The pairs of characters between which a text that one pattern splits can be cut in any context: the text before the cut,
// and the text after it, split as in the whole.
//
// No match reads both: from every state after the first character, the automaton stops at the second, and a match ends
// before the second exactly where it would end at the end of the text. So a match that begins before the cut ends there at
// the latest, and a new one begins there regardless of the text before it. And a piece ends there, because one of the two
// characters is always part of a match, and the other is in another match or in a gap; or because the second is dropped.
// Dropped text stays with the text after it: alone it would be a word without ids.
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
