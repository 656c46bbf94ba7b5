// The rules of patterns (layout/pattern.h): a part of the validator.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/pattern.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first rule that is broken. Proves what a pretokenizer relies on: classes and rows
// are inside their tables, a match does not end where it begins, nothing goes on after the end of the text, and the
// scan is linear. Cost: linear in the section, and for the last rule steps for each pair of states and each class, of
// which known patterns have a few thousand.
Status read_patterns(const u8* data, SectionRange section, const layout::Pattern** out);

}  // namespace crayon
