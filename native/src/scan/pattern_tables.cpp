#include "scan/pattern_tables.h"

namespace crayon {

Patterns::Patterns(const layout::Pattern* section, size_t length, bool inner) {
    const u8* at = reinterpret_cast<const u8*>(section);
    for (const u8* const end = at + length; at < end;) {
        const layout::Pattern& pattern = *reinterpret_cast<const layout::Pattern*>(at);
        if (((pattern.cuts & layout::kInnerPattern) != 0) == inner) tables[count++] = PatternTables(pattern);
        at += pattern.length;
    }
}

}  // namespace crayon
