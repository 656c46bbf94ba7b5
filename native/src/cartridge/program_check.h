// The rules of normalizer programs (layout/normalizer.h): a part of the validator.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/normalizer.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first rule that is broken. Proves what steps rely on: kinds and flags are known, what a step refers to
// is inside of the section, is a pattern or a charsmap where it has to be, and texts do not grow without bound. Cost: linear in
// the section, and that of patterns (pattern_check.h).
Status read_program(const u8* data, SectionRange section, const layout::NormalizerProgram** out);

}  // namespace crayon
