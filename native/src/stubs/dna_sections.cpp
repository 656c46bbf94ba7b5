// A module without DNA rejects the DNA section as unknown.
#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_dna(const SectionRange* sections) {
    return {CRAYON_UNKNOWN_SECTION, layout::kDna, sections[layout::kDna].offset};
}

}  // namespace crayon
