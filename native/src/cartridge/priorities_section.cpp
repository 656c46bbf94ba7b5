// read_priorities of sections.h: any numbers are safe.
#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_priorities(SectionRange section) {
    if (!section.present()) return {};
    if (section.length != u64{contents_.tokens.token_count} * sizeof(u32)) return corrupt(section.id, section.offset);
    contents_.bpe.priorities = at<u32>(section.offset);
    return {};
}

}  // namespace crayon
