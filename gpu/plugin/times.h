// What a device has been at, and for how long: its streams keep it for each job.
#pragma once

#include "device/device.h"

namespace crayon::gpu {

enum Activity : u32 { kCopyIn, kCompute, kCopyOut, kActivities };

struct Times {
    u64 ns[kActivities] = {};
};

}  // namespace crayon::gpu
