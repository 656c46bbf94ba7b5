// Hidden tokens (layout/bpe.h), separate from the other sections so that a browser module can omit them. The rest of
// hidden_section.cpp is members of Sections.
#pragma once

#include "cartridge/cartridge.h"

namespace crayon {

// Adds the byte pairs inside anything that may become one unknown id to the joined pairs: a character without a token and,
// where unknown characters are fused, a run of them.
void join_unknown(const BpeView& bpe, u8* joined_bytes);

}  // namespace crayon
