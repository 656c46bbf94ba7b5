// The normalizers that there are: one line of table.cpp for each.
#pragma once

#include "crayon/layout/normalizer.h"
#include "normalize/nfc_pages.h"
#include "normalize/normalizer.h"

namespace crayon {

// The normalizer with a number of layout::Normalizer, for `delete`; nullptr where text is not normalized. `pass`: that
// of a kernel; `program`: that of the cartridge, if it has one. OUT_OF_MEMORY, FEATURE_MISSING.
Status make_normalizer(u32 number, PassNormal pass, const layout::NormalizerProgram* program, const Normalizer** out);
// Its name; empty without one.
const char* normalizer_name(u32 number);

}  // namespace crayon
