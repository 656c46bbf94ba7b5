#include "gpu/lane.h"

#include <bit>
#include <cstdlib>

namespace crayon {

bool PinnedBytes::reserve(const crayon_gpu_api& api, crayon_gpu_context* context, u64 length) {
    constexpr u64 kLeast = 64 * 1024;
    if (length <= capacity_ && data_) return true;
    release(api, context);
    const u64 capacity = length <= kLeast ? kLeast : std::bit_ceil(length);
    void* memory = nullptr;
    is_pinned_ = api.pinned_allocate(context, capacity, &memory) == CRAYON_GPU_OK && memory;
    if (!is_pinned_) memory = std::malloc(capacity);
    data_ = static_cast<u8*>(memory);
    capacity_ = memory ? capacity : 0;
    return memory != nullptr;
}

void PinnedBytes::release(const crayon_gpu_api& api, crayon_gpu_context* context) {
    if (is_pinned_) {
        api.pinned_release(context, data_);
    } else {
        std::free(data_);
    }
    data_ = nullptr;
    capacity_ = 0;
    is_pinned_ = false;
}

}  // namespace crayon
