// Extended grapheme clusters (Unicode Standard Annex #29, of Unicode 17.0).
#pragma once

#include "base/integers.h"
#include "normalize/step_text.h"

namespace crayon {

// Whether a character may be in a cluster with others, whatever they are, but for pictographs, which only a joiner joins.
bool joins_graphemes(u32 code);
// Whether it is in the cluster of what follows, or of what precedes, whatever that is, but for controls.
bool joins_what_follows(u32 code);
bool joins_what_precedes(u32 code);

// The clusters of a text, one after the other.
class Graphemes {
public:
    explicit Graphemes(const StepText& text) : text_(text) {}
    // The index of the character after the cluster that begins at one.
    size_t end_of(size_t begin) const;

private:
    const StepText& text_;
};

}  // namespace crayon
