// The smallest number in each of several rows, needed by merging by rank after every merge (model/merge_lanes.h).
#pragma once

#include "base/integers.h"

namespace crayon {

// A row has 16, 32 or 64 numbers, at most 2^31 − 1.
inline constexpr u32 kShortestRow = 16;
using LeastFunction = void (*)(const u32* const* rows, const u32* lengths, u32 count, u32* least);

}  // namespace crayon
