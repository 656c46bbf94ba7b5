// A module without normalizer programs: such cartridges need the full module.
#include "cartridge/sections.h"

namespace crayon {

bool Sections::has_program() const { return false; }

Status Sections::read_program(SectionRange section) {
    return section.present() ? Status{CRAYON_FEATURE_MISSING, section.id, section.offset} : Status{};
}

}  // namespace crayon
