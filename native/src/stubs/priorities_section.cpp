// A module that merges by ranks alone: other cartridges are for the one that lacks nothing.
#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_priorities(SectionRange section) {
    return section.present() ? Status{CRAYON_FEATURE_MISSING, section.id, section.offset} : Status{};
}

}  // namespace crayon
