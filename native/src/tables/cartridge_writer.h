// Assembles sections into a cartridge (layout/cartridge.h). The header and section table pass the validator; section
// contents are not checked here.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

struct SectionBytes {
    layout::SectionId id;
    const void* bytes;
    size_t length;
};

template <class T>
SectionBytes section_of(layout::SectionId id, const Buffer<T>& rows) {
    return {id, rows.data(), rows.size() * sizeof(T)};
}

// Writes the header, the section table, then the sections in the order given (each id once, at most layout::kMaxSections),
// each at a multiple of 64 with zeros between, and the checksum. A reader must understand all of them but the metadata. The
// same sections give the same bytes. OUT_OF_MEMORY, or FILE_TOO_LARGE above layout::kMaxFileLength; `file` is then
// unspecified.
Status write_cartridge(std::span<const SectionBytes> sections, OwnedBytes* file);

}  // namespace crayon
