// Puts sections together to the bytes of a cartridge (layout/cartridge.h). What it writes passes the table part of the
// gate; what is inside the sections is their makers' business.
#pragma once

#include <span>

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

// Header, section table, then the sections in the order given (each id once, at most layout::kMaxSections), each at a
// multiple of 64 with zeros between, and the checksum. All but the metadata must be understood by a reader. The same
// sections give the same bytes. OUT_OF_MEMORY, or FILE_TOO_LARGE beyond layout::kMaxFileLength; `file` is then of no
// use.
Status write_cartridge(std::span<const SectionBytes> sections, OwnedBytes* file);

}  // namespace crayon
