// The rules of the section of the general path (layout/general.h), a part of the validator.
#pragma once

#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/general.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first broken rule; OUT_OF_MEMORY. Proves what the stages rely on: all they refer to is inside of the
// section, texts are UTF-8, patterns are programs, and ids are below `token_count`.
Status read_general_section(const u8* data, SectionRange section, u32 token_count, const layout::GeneralTokenizer** out);

}  // namespace crayon
