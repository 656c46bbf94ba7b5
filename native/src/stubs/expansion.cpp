// A DNA-only module rejects slim files like any other file that lacks a section: DNA has no slim form.
#include "cartridge/expansion.h"

namespace crayon {

bool is_slim(const u8*, u64) { return false; }
Status expand_slim(const u8*, u64, bool, OwnedBytes*, Buffer<layout::Section>*) { return {CRAYON_INVALID_ARGUMENT}; }

}  // namespace crayon
