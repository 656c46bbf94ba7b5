// A matrix that stays on the device: its ids, followed by its mask, in one array that outlives the job.
//
// Slices write their rows there; nothing is copied out. Rows that the device has not padded are written from here.
#pragma once

#include "gpu/device_memory.h"

namespace crayon {

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
