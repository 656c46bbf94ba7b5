// Reads integers at any address, little-endian like everything in a cartridge.
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon {

inline u32 load_u32(const u8* bytes) {
    u32 value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

}  // namespace crayon
