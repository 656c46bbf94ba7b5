// The normalizer program's section, where a view has one.
#include <algorithm>

#include "cartridge/program_check.h"
#include "cartridge/sections.h"

namespace crayon {

bool Sections::has_program() const {
    return std::any_of(contents_.view_rows.begin(), contents_.view_rows.end(),
                       [](const layout::View& view) { return view.normalizer == layout::kProgramNormalizer; });
}

Status Sections::read_program(SectionRange section) {
    if (has_program() != section.present()) return corrupt(layout::kProgram, section.offset);
    if (!section.present()) return {};
    contents_.program_length = static_cast<u32>(section.length);
    return crayon::read_program(data_, section, &contents_.program);
}

}  // namespace crayon
