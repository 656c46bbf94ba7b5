// A module without the pretokenizer of patterns, of which it opens no cartridge (pattern_check.cpp).
#include "scan/pattern_tables.h"

namespace crayon {

Patterns::Patterns(const layout::Pattern*, size_t, bool) {}

}  // namespace crayon
