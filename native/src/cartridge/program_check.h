// The rules of normalizer programs (layout/normalizer.h), a part of the validator.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/normalizer.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first broken rule. Proves what steps rely on: kinds and flags are known, the data a step refers
// to is inside the section and is a pattern or a charsmap where required, and texts do not grow without bound. Cost: linear
// in the section, plus the cost of its patterns (pattern_check.h).
Status read_program(const u8* data, SectionRange section, const layout::NormalizerProgram** out);

}  // namespace crayon
