// The checksum of a cartridge: eight 64-bit multiply lanes over 64-byte blocks, fast on every host (8 bytes per cycle
// with plain 64-bit multiplication, in WASM too) and different after any change of a single word. It detects damage,
// not tampering.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint64_t kChecksumMultiplier = 0x9FB21C651E98DF25;  // odd, so each step is a bijection of the lane
inline constexpr std::uint64_t kChecksumSeed = 0xA0761D6478BD642F;
inline constexpr int kChecksumRotation = 29;

// lane[i] starts at kChecksumSeed * (2 i + 1). Block by block (the last one zero-padded), with word[i] the i-th
// little-endian u64:     lane[i] = rotl((lane[i] ^ word[i]) * kChecksumMultiplier, kChecksumRotation)
// At the end, with x = file length, for i = 0…7:  x = rotl((x ^ lane[i]) * kChecksumMultiplier, kChecksumRotation);
// then x ^ (x >> 32).
// The header's checksum field counts as zero.

}  // namespace crayon::layout
