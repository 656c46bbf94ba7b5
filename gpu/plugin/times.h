// The activities of a device and the time spent on each, recorded per job by its streams.
#pragma once

#include "device/device.h"

namespace crayon::gpu {

enum Activity : u32 { kCopyIn, kCompute, kCopyOut, kActivities };

struct Times {
    u64 ns[kActivities] = {};
};

}  // namespace crayon::gpu
