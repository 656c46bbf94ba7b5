// The list of normalizers: one line of table.cpp for each.
#pragma once

#include "crayon/layout/normalizer.h"
#include "normalize/nfc_pages.h"
#include "normalize/normalizer.h"

namespace crayon {

// Creates the normalizer with a layout::Normalizer number, for `delete`; nullptr if text is not normalized. `pass`: the
// kernel's; `program`: the cartridge's, if it has one. OUT_OF_MEMORY, FEATURE_MISSING.
Status make_normalizer(u32 number, PassNormal pass, const layout::NormalizerProgram* program, const Normalizer** out);
// Its name; empty if there is none.
const char* normalizer_name(u32 number);

}  // namespace crayon
