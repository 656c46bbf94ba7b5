// A matrix that stays on the device: its ids, and behind them its mask, in one array that outlives the job.
//
// Slices write their rows there; nothing of it is copied out. What the device has not padded is written from here.
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

    // Before the job runs. `mask_width`: bytes of an element of the mask, 1 or those of an id; 0: there is none.
    void want(u32 mask_width) {
        is_wanted_ = true;
        mask_width_ = mask_width;
    }
    bool is_wanted() const { return is_wanted_; }
    u32 mask_width() const { return mask_width_; }

    // When the job begins; `width`: of an id. As DeviceMemory::create.
    Status begin(Device& device, u64 rows, u64 columns, u32 width);
    // The rows of a slice that has been counted, from `first_row` on, go there when it is fetched.
    Status keep(Device& device, crayon_gpu_job* job, u64 first_row);
    // Rows that are padded; `mask`: with elements of mask_width().
    Status write(u64 first_row, u64 rows, const void* ids, const void* mask);

    // When the job has been done: the array, for who releases it, or nullptr. The mask begins at `mask_offset()`.
    DeviceMemory* detach();
    u64 mask_offset() const { return mask_offset_; }

private:
    bool is_wanted_ = false;
    u32 mask_width_ = 0;
    u64 columns_ = 0, width_ = 0, mask_offset_ = 0;
    DeviceMemory* memory_ = nullptr;
};

}  // namespace crayon
