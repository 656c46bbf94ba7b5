// Hidden tokens (layout/bpe.h), apart from the other sections, so that a module for pages can do without. Sections has the rest
// of hidden_section.cpp.
#pragma once

#include "cartridge/cartridge.h"

namespace crayon {

// Adds to the pairs of joined bytes those within what may become one unknown id: a character without a token, and, where unknown
// characters are fused, a run of them.
void join_unknown(const BpeView& bpe, u8* joined_bytes);

}  // namespace crayon
