// An array in device memory that outlives the job that writes it: a matrix that stays there (kept_matrix.h).
//
// It keeps its device open, but holds no vocabulary or job. The owner releases it once, at any time and from any thread,
// without waiting for a job: the memory is freed when the device is idle. After a device has been given up, its arrays
// cannot be read any more, but must still be released.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "crayon_gpu.h"

namespace crayon {

class Device;

class DeviceMemory {
public:
    // For the running job: `size` bytes, aligned to 256. DEVICE_UNSUPPORTED if the plugin cannot keep memory, DEVICE_FAILED
    // if it does not fit in the device's memory or budget.
    static Status create(Device& device, u64 size, DeviceMemory** out);
    void release();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    u64 size() const { return size_; }
    // A device address, for the device and for other users of the array there.
    void* address() const { return address_; }
    crayon_gpu_memory* plugin_memory() const { return memory_; }
    const Device& device() const { return device_; }

    // Copies to the host; waits for the running job. INVALID_ARGUMENT for a range outside the array, DEVICE_FAILED.
    Status read(u64 offset, u64 size, void* to);
    // For the running job.
    Status write(u64 offset, u64 size, const void* from);

private:
    friend class Device;

    DeviceMemory(Device& device, crayon_gpu_memory* memory, void* address, u64 size);
    ~DeviceMemory() = default;

    Device& device_;
    crayon_gpu_memory* const memory_;
    void* const address_;
    const u64 size_;
    DeviceMemory* next_ = nullptr;  // in the list of arrays to be released
};

}  // namespace crayon
