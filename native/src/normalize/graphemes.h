// Extended grapheme clusters (Unicode Standard Annex #29, of Unicode 17.0).
#pragma once

#include "base/integers.h"
#include "normalize/step_text.h"

namespace crayon {

// Whether a character may share a cluster with any neighbours. Does not count pictographs, which only a joiner joins.
bool joins_graphemes(u32 code);
// Whether it is always in the cluster of the next, or of the previous, character, except controls.
bool joins_what_follows(u32 code);
bool joins_what_precedes(u32 code);

// Iterates over the clusters of a text.
class Graphemes {
public:
    explicit Graphemes(const StepText& text) : text_(text) {}
    // The index after the cluster that begins at `begin`.
    size_t end_of(size_t begin) const;

private:
    const StepText& text_;
};

}  // namespace crayon
