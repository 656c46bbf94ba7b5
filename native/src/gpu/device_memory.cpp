#include "gpu/device_memory.h"

#include <new>
#include <utility>

#include "gpu/device.h"

namespace crayon {

DeviceMemory::DeviceMemory(Device& device, crayon_gpu_memory* memory, void* address, u64 size)
    : device_(device), memory_(memory), address_(address), size_(size) {
    device.retain();
}

Status DeviceMemory::create(Device& device, u64 size, DeviceMemory** out) {
    const crayon_gpu_memory_api* const api = device.memory_api();
    if (!api) return {CRAYON_DEVICE_UNSUPPORTED};
    crayon_gpu_memory* memory = nullptr;
    crayon_gpu_status status = api->memory_create(device.context(), size, &memory);
    if (status == CRAYON_GPU_OUT_OF_DEVICE_MEMORY) {  // streams keep the memory their jobs needed
        device.drop_lanes();
        status = api->memory_create(device.context(), size, &memory);
    }
    if (status != CRAYON_GPU_OK) return device.status_of(status);
    DeviceMemory* const new_memory = new (std::nothrow) DeviceMemory(device, memory, api->address(memory), size);
    if (!new_memory) {
        api->memory_release(memory);
        return Status::out_of_memory();
    }
    device.has_kept(size);
    *out = new_memory;
    return {};
}

void DeviceMemory::release() {
    Device& device = device_;
    device.drop(this);
    device.release();
}

Status DeviceMemory::read(u64 offset, u64 size, void* to) {
    if (offset > size_ || size > size_ - offset) return {CRAYON_INVALID_ARGUMENT};
    // If the device that made the array is gone, it has been given up.
    Status status = device_.begin();
    if (status.code == CRAYON_DEVICE_UNAVAILABLE) return {CRAYON_DEVICE_FAILED};
    if (!status.ok()) return status;
    status = device_.status_of(device_.memory_api()->read(memory_, offset, size, to));
    device_.end();
    return status;
}

Status DeviceMemory::write(u64 offset, u64 size, const void* from) {
    return device_.status_of(device_.memory_api()->write(memory_, offset, size, from));
}

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
