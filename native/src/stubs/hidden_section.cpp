// A module without BPE over characters: such cartridges need the full module.
#include "cartridge/hidden_section.h"

#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_hidden(SectionRange section) {
    return section.present() ? Status{CRAYON_FEATURE_MISSING, section.id, section.offset} : Status{};
}

Status Sections::check_hidden() const { return {}; }

void join_unknown(const BpeView&, u8*) {}

}  // namespace crayon
