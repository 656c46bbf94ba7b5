// An array in the memory of a device, which outlives the job that writes it: a matrix that stays there (kept_matrix.h).
//
// It keeps its device open, but no vocabulary and no job. Whoever has it releases it, once, at any time and from any thread,
// without waiting for a job: the memory goes when the device is not at one. After a device has been given up, its arrays cannot
// be read any more, and are still to be released.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "crayon_gpu.h"

namespace crayon {

class Device;

class DeviceMemory {
public:
    // For the job that runs, of `size` bytes, aligned to 256. DEVICE_UNSUPPORTED for plugins that keep nothing, DEVICE_FAILED if
    // it does not fit in the memory of the device or its budget.
    static Status create(Device& device, u64 size, DeviceMemory** out);
    void release();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    u64 size() const { return size_; }
    // For the device, and for what uses the array there.
    void* address() const { return address_; }
    crayon_gpu_memory* plugin_memory() const { return memory_; }
    const Device& device() const { return device_; }

    // To the host; waits for the job that runs. INVALID_ARGUMENT for what is not in the array, DEVICE_FAILED.
    Status read(u64 offset, u64 size, void* to);
    // For the job that runs.
    Status write(u64 offset, u64 size, const void* from);

private:
    friend class Device;

    DeviceMemory(Device& device, crayon_gpu_memory* memory, void* address, u64 size);
    ~DeviceMemory() = default;

    Device& device_;
    crayon_gpu_memory* const memory_;
    void* const address_;
    const u64 size_;
    DeviceMemory* next_ = nullptr;  // of those that the device is to let go
};

}  // namespace crayon
