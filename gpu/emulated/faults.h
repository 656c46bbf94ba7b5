// Faults of the emulated device, and its deviations from the default, chosen by tests: CRAYON_EMULATED_DEVICE in the
// environment, such as "launch=4 seed=1", read when devices are listed and when one is opened. Each fault happens at the
// call with its number, counted from 1; 0 means never. A fault that leaves the device usable (an allocation) happens once.
#pragma once

#include <cstdlib>
#include <cstring>

#include "device/device.h"

namespace crayon::gpu {

struct Faults {
    u32 no_device = 0;   // 1: there are no devices; 2: there is an unusable one
    u32 allocation = 0;  // of device memory: OUT_OF_DEVICE_MEMORY
    u32 pinned_allocation = 0;
    u32 copy = 0;           // DEVICE_FAULT
    u32 launch = 0;         // of a kernel: DEVICE_FAULT
    u32 lost = 0;           // at the launch of that number: DEVICE_LOST
    u32 hang = 0;           // this launch never ends: TIMED_OUT after the limit, and the context is lost
    u64 device_memory = 0;  // bytes; 0: 1 GiB
    u32 warp_size = 0;      // 32 or 64; 0: 32
    u32 seed = 0;           // for the order of blocks, warps and threads; 0: ascending
};

inline Faults faults_of_environment() {
    Faults faults;
    const char* const text = std::getenv("CRAYON_EMULATED_DEVICE");
    const auto number = [text](const char* name) -> u64 {
        const std::size_t length = std::strlen(name);
        for (const char* at = text; at && (at = std::strstr(at, name)); at += length) {
            if ((at == text || at[-1] == ' ') && at[length] == '=') return std::strtoull(at + length + 1, nullptr, 10);
        }
        return 0;
    };
    faults.no_device = static_cast<u32>(number("no_device"));
    faults.allocation = static_cast<u32>(number("allocation"));
    faults.pinned_allocation = static_cast<u32>(number("pinned_allocation"));
    faults.copy = static_cast<u32>(number("copy"));
    faults.launch = static_cast<u32>(number("launch"));
    faults.lost = static_cast<u32>(number("lost"));
    faults.hang = static_cast<u32>(number("hang"));
    faults.device_memory = number("device_memory");
    faults.warp_size = static_cast<u32>(number("warp_size"));
    faults.seed = static_cast<u32>(number("seed"));
    return faults;
}

}  // namespace crayon::gpu
