// The rules of the sections that have a file each: patterns, normalizer programs, the general path. Parts of the validator.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "crayon/layout/general.h"
#include "crayon/layout/normalizer.h"
#include "crayon/layout/pattern.h"

namespace crayon {

// CORRUPT_STRUCTURE at the first broken rule. Proves what a pretokenizer relies on: classes and rows are inside their
// tables, a match does not end where it begins, nothing continues after the end of the text, and the scan is linear. Cost:
// linear in the section; the last rule takes steps for each pair of states and each class, a few thousand in known
// patterns.
Status read_patterns(const u8* data, SectionRange section, const layout::Pattern** out);

// CORRUPT_STRUCTURE at the first broken rule. Proves what steps rely on: kinds and flags are known, the data a step refers
// to is inside the section and is a pattern or a charsmap where required, and texts do not grow without bound. Cost: linear
// in the section, plus the cost of its patterns.
Status read_program(const u8* data, SectionRange section, const layout::NormalizerProgram** out);

// CORRUPT_STRUCTURE at the first broken rule; OUT_OF_MEMORY. Proves what the stages rely on: all they refer to is inside of the
// section, texts are UTF-8, patterns are programs, and ids are below `token_count`.
Status read_general_section(const u8* data, SectionRange section, u32 token_count, const layout::GeneralTokenizer** out);

}  // namespace crayon
