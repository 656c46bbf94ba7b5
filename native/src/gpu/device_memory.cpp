#include "gpu/device_memory.h"

#include <new>

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

}  // namespace crayon
