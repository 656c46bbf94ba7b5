// Shuffles that pack the UTF-8 of four units, for rows that shuffle sixteen bytes by a register.
#pragma once

#include "base/integers.h"

namespace crayon {

// Four groups of four bytes hold the UTF-8 of four units: 1110…, 10…… or 110….., 10……, and the unit as ASCII.
// shuffles[two | three << 4] moves those to keep to the front and zeros behind them; bit k of `two` says that unit k
// takes two bytes or more, of `three` that it takes three. They are 4 + popcount(two) + popcount(three).
struct PackedUtf8 {
    u8 shuffles[256][16];
};
extern const PackedUtf8 kPackedUtf8;

}  // namespace crayon
