// The checksum of a cartridge: 32 lanes of 64 bits over blocks of 256 bytes. A step is one 32×32-bit multiplication, which
// every vector instruction set has, so it keeps up with memory (100 GB/s with AVX2). It detects damage, not tampering.
//
// Without its word, a step multiplies by 2^-32 modulo the prime kChecksumMultiplier * 2^32 - 1 (Marsaglia's
// multiply-with-carry). So each lane is a polynomial in its words, evaluated at a point of large order: changing or
// swapping words changes it.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kChecksumLanes = 32;
inline constexpr std::uint32_t kChecksumBlock = 8 * kChecksumLanes;
inline constexpr std::uint32_t kChecksumMultiplier = 0xFFFEB81B;
inline constexpr std::uint64_t kChecksumSeed = 0xA0761D6478BD642F;
inline constexpr std::uint64_t kChecksumFold = 0x9FB21C651E98DF25;
inline constexpr int kChecksumRotation = 29;

// lane[i] starts at kChecksumSeed * (2 i + 1). Block by block (the last one zero-padded), with word[i] the i-th
// little-endian u64:     lane[i] = low32(lane[i]) * kChecksumMultiplier + (lane[i] >> 32) + word[i]
// At the end, with x = file length, for i = 0…31:  x = rotl((x ^ lane[i]) * kChecksumFold, kChecksumRotation);
// then x ^ (x >> 32).
// The header's checksum field counts as zero.

}  // namespace crayon::layout
