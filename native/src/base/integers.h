// Short names for the fixed-width integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace crayon {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using std::size_t;

// Reads an integer at any address, little-endian like everything in a cartridge.
inline u32 load_u32(const u8* bytes) {
    u32 value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

}  // namespace crayon
