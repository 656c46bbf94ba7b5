// In a module with DNA alone, slim files are refused like any other that lacks a section: DNA has none.
#include "cartridge/expansion.h"

namespace crayon {

bool is_slim(const u8*, u64) { return false; }
Status expand_slim(const u8*, u64, bool, OwnedBytes*, Buffer<layout::Section>*) { return {CRAYON_INVALID_ARGUMENT}; }

}  // namespace crayon
