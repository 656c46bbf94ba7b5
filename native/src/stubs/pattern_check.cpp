// A module without the pattern pretokenizer does not open cartridges with patterns.
#include "cartridge/pattern_check.h"

namespace crayon {

Status read_patterns(const u8*, SectionRange section, const layout::Pattern**) {
    return {CRAYON_FEATURE_MISSING, layout::kPattern, section.offset};
}

}  // namespace crayon
