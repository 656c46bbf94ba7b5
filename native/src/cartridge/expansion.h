// Expands slim cartridges to full ones, whose tables they leave out.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

// Whether this is a slim cartridge according to its header and section table; false if these are corrupt.
bool is_slim(const u8* data, u64 length);

// Computes the bytes of the full cartridge, exactly those that the compiler writes for the same vocabulary. `data` is
// slim and 64-byte aligned; every rule of FORMAT.md for a slim file is checked first, in the order of the validator. On
// failure the position of the status is in `data`. `rows` is set to the section table of the slim file. Cost: about 80
// ms and three times the memory of the full file for 200,000 tokens.
Status expand_slim(const u8* data, u64 length, bool verify_checksum, OwnedBytes* full, Buffer<layout::Section>* rows);

}  // namespace crayon
