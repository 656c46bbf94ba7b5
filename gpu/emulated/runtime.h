// The emulated device in the form a plugin uses: see device.h.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "emulated/device.h"

namespace crayon::gpu {

class EmulatedRuntime {
public:
    // For devices listed from now on. With a recorder, only one stream at a time.
    static inline EmulatedMachine usual;

    static std::vector<crayon_gpu_device> devices(std::string& reason) {
        const Faults faults = faults_of_environment();
        if (faults.no_device == 1) {
            reason = "the faults say that there is no device";
            return {};
        }
        crayon_gpu_device about{};
        about.kind = CRAYON_GPU_KIND_EMULATED;
        about.memory = about.free_memory = faults.device_memory ? faults.device_memory : u64{1} << 30;
        about.processors = usual.processors;
        about.warp_size = faults.warp_size ? faults.warp_size : usual.warp_size;
        about.is_usable = faults.no_device != 2;
        std::strcpy(about.name, "emulated device");
        if (!about.is_usable) std::strcpy(about.reason, "the faults say that it cannot be used");
        return {about};
    }

    struct Context : EmulatedState {
        crayon_gpu_status open(const crayon_gpu_device& about, u32, u64 budget, u32 time_limit) {
            faults = faults_of_environment();
            machine = {about.warp_size, faults.seed, usual.recorder, about.processors};
            memory = budget ? least(budget, about.memory) : about.memory;
            time_limit_ms = time_limit;
            return CRAYON_GPU_OK;
        }
        crayon_gpu_status allocate_pinned(u64 length, void** allocated) {
            *allocated = pin(length);
            return *allocated ? CRAYON_GPU_OK : CRAYON_GPU_OUT_OF_MEMORY;
        }
        void release_pinned(void* allocated) { unpin(allocated); }
    };
    using Device = EmulatedDevice;
};

using Runtime = EmulatedRuntime;

}  // namespace crayon::gpu
