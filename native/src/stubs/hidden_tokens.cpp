// Without hidden_section.cpp, cartridges with hidden tokens do not open.
#include "model/hidden_tokens.h"

namespace crayon {

HiddenTokens::HiddenTokens(const BpeView&, const u32*) {}

u32 HiddenTokens::reveal(const u8*, u32, u32*, u32 count, u32) const { return count; }

}  // namespace crayon
