// The rules of patterns (layout/pattern.h), a part of the validator.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/pattern.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first broken rule. Proves what a pretokenizer relies on: classes and rows are inside their
// tables, a match does not end where it begins, nothing continues after the end of the text, and the scan is linear. Cost:
// linear in the section; the last rule takes steps for each pair of states and each class, a few thousand in known
// patterns.
Status read_patterns(const u8* data, SectionRange section, const layout::Pattern** out);

}  // namespace crayon
