// A module without the pattern pretokenizer does not open its cartridges (pattern_check.cpp).
#include "scan/pattern_tables.h"

namespace crayon {

Patterns::Patterns(const layout::Pattern*, size_t, bool) {}

}  // namespace crayon
