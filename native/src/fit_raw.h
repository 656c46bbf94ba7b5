// Fits a text into a number of tokens (fit.h) where the tokenizer has a normalizer. What is normalized as it is, as nearly
// all text, is cut as without one: its parts are normalized, too. Other text is cut by the tokens of the whole text as well,
// whose places in the raw text are known, but each part that is tried is encoded from its beginning.
#pragma once

#include "fit.h"

namespace crayon {

// Fit::cut, for any tokenizer.
Status fit(Encoder& encoder, const Fit::Text& text, u32 start, u32 limit, u32 overlap, Fit::Part* part);

}  // namespace crayon
