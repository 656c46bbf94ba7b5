// Expands slim cartridges to full ones, whose tables they leave out.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

// Whether the header and section table describe a slim cartridge; false if they are corrupt.
bool is_slim(const u8* data, u64 length);

// Computes the bytes of the full cartridge, identical to the compiler's output for the same vocabulary. `data` is slim and
// 64-byte aligned; every FORMAT.md rule for a slim file is checked first, in the validator's order. On failure the status's
// position is in `data`. `rows` is set to the section table of the slim file. Cost: about 80 ms and three times the memory
// of the full file for 200,000 tokens.
Status expand_slim(const u8* data, u64 length, bool verify_checksum, OwnedBytes* full, Buffer<layout::Section>* rows);

}  // namespace crayon
