// Shuffles that pack the UTF-8 of four units, for kernels that can shuffle sixteen bytes by register.
#pragma once

#include "base/integers.h"

namespace crayon {

// Four groups of four bytes hold the UTF-8 of four units: 1110…, 10…… or 110….., 10……, and the unit as ASCII.
// shuffles[two | three << 4] moves the bytes to keep to the front, followed by zeros. Bit k of `two` is set if unit k
// takes two bytes or more, bit k of `three` if it takes three; 4 + popcount(two) + popcount(three) bytes are kept.
struct PackedUtf8 {
    u8 shuffles[256][16];
};
extern const PackedUtf8 kPackedUtf8;

}  // namespace crayon
