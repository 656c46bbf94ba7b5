// A module without DNA does not know its section.
#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_dna(const SectionPlace* place) {
    return {CRAYON_UNKNOWN_SECTION, layout::kDna, place[layout::kDna].offset};
}

}  // namespace crayon
