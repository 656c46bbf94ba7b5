// The one gate: bytes of unknown origin in, checked contents out. Behind it nobody checks the cartridge again.
//
// What is checked, and in which order a refusal is chosen (cartridges/FORMAT.md §8):
//   1. that this is a cartridge of this version, complete   NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED
//   2. the checksum                                         CHECKSUM_MISMATCH, position of the checksum field
//   3. every rule of the structure                          CORRUPT_STRUCTURE, MISSING_SECTION, UNKNOWN_SECTION
// The checksum comes before the structure because damaged bytes break rules by chance. The work is done in one pass all
// the same: block by block, first through the checksum, then, out of the first cache, through the rules of the long
// tables.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// `data` is 64-byte aligned (null if `length` is 0). Never reads outside data[0, length), whatever the bytes are. On
// failure `out` is not changed, and the status names the section and the byte of the file. Allocates nothing. Cost:
// linear.
Status pass_gate(const u8* data, u64 length, bool verify_checksum, CartridgeContents* out);

}  // namespace crayon
