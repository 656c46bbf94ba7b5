// The only validator of cartridges. It takes untrusted bytes and returns checked contents; no other code checks a cartridge
// again.
//
// The checks, in the order in which errors are reported (cartridges/FORMAT.md §8):
//   1. this is a complete cartridge of this version         NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED
//   2. the checksum                                         CHECKSUM_MISMATCH, position of the checksum field
//   3. every rule of the structure                          CORRUPT_STRUCTURE, MISSING_SECTION, UNKNOWN_SECTION
// The checksum is reported before the structure because damaged bytes break rules by chance. Both are checked in one pass:
// block by block, first the checksum, then, from the L1 cache, the rules of the long tables.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"
#include "kernels/kernel.h"

namespace crayon {

// `data` is 64-byte aligned (null if `length` is 0). Never reads outside data[0, length), for any input. On failure `out`
// is unchanged, and the status has the section and the byte of the file. Does not allocate. Cost: linear.
Status validate_cartridge(const u8* data, u64 length, bool verify_checksum, CartridgeContents* out,
                          const Kernel& kernel = *kernel_at(0));

// A block stays in the L1 cache between the checksum and the rules.
inline constexpr u64 kGateBlock = 16384;

}  // namespace crayon
