// Arrays in device memory that outlive the jobs that write them.
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

// A matrix that stays on the device: its ids, followed by its mask, in one array that outlives the job.
//
// Slices write their rows there; nothing is copied out. Rows that the device has not padded are written from here.
class KeptMatrix {
public:
    KeptMatrix() = default;
    ~KeptMatrix() {
        if (memory_) memory_->release();
    }
    KeptMatrix(const KeptMatrix&) = delete;
    KeptMatrix& operator=(const KeptMatrix&) = delete;

    // Before the job runs. `mask_width`: bytes per mask element, 1 or the id width; 0: no mask.
    void want(u32 mask_width) {
        is_wanted_ = true;
        mask_width_ = mask_width;
    }
    bool is_wanted() const { return is_wanted_; }
    u32 mask_width() const { return mask_width_; }

    // When the job begins; `width`: bytes per id. Same statuses as DeviceMemory::create.
    Status begin(Device& device, u64 rows, u64 columns, u32 width);
    // Rows of a counted slice, from `first_row` on, are stored there when it is fetched.
    Status keep(Device& device, crayon_gpu_job* job, u64 first_row);
    // Writes padded rows; `mask`: elements of mask_width().
    Status write(u64 first_row, u64 rows, const void* ids, const void* mask);

    // After the job: the array, for the caller to release, or nullptr. The mask begins at `mask_offset()`.
    DeviceMemory* detach();
    u64 mask_offset() const { return mask_offset_; }

private:
    bool is_wanted_ = false;
    u32 mask_width_ = 0;
    u64 columns_ = 0, width_ = 0, mask_offset_ = 0;
    DeviceMemory* memory_ = nullptr;
};

}  // namespace crayon
