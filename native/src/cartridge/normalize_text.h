// Runs a normalizer program on a whole text, without a cartridge.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"

namespace crayon {

// `program`: the section. CORRUPT_STRUCTURE with the position in it, OUT_OF_MEMORY.
Status normalize_text(const u8* program, size_t program_length, const u8* text, size_t length, Buffer<u8>* out);

}  // namespace crayon
