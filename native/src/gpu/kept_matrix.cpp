#include "gpu/kept_matrix.h"

#include <utility>

#include "gpu/device.h"

namespace crayon {

namespace {

constexpr u64 kAlignment = 256;                  // of the mask and of the array
constexpr u64 kMostKeptElements = u64{1} << 40;  // no device has memory for more

}  // namespace

Status KeptMatrix::begin(Device& device, u64 rows, u64 columns, u32 width) {
    if (columns > 0 && rows > kMostKeptElements / columns) return device.refuse("the memory of the device is too small");
    columns_ = columns;
    width_ = width;
    mask_offset_ = (rows * columns * width + kAlignment - 1) / kAlignment * kAlignment;
    return DeviceMemory::create(device, mask_offset_ + rows * columns * mask_width_, &memory_);
}

Status KeptMatrix::keep(Device& device, crayon_gpu_job* job, u64 first_row) {
    const u64 first = first_row * columns_;
    return device.status_of(device.memory_api()->keep(job, memory_->plugin_memory(), first * width_,
                                                      mask_offset_ + first * mask_width_, mask_width_));
}

Status KeptMatrix::write(u64 first_row, u64 rows, const void* ids, const void* mask) {
    const u64 first = first_row * columns_, count = rows * columns_;
    Status status = memory_->write(first * width_, count * width_, ids);
    if (status.ok() && mask_width_) status = memory_->write(mask_offset_ + first * mask_width_, count * mask_width_, mask);
    return status;
}

DeviceMemory* KeptMatrix::detach() { return std::exchange(memory_, nullptr); }

}  // namespace crayon
