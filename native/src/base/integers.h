// Short names for the fixed-width integers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crayon {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using std::size_t;

}  // namespace crayon
