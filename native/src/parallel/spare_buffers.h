// Buffers for slices' ids, reused: new memory would cost a page fault per thousand ids, and the ids would not be in any cache.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon {

// Requires the pool's lock.
class SpareBuffers {
public:
    // An empty buffer, with memory if a spare one is available.
    Buffer<u32> take() {
        Buffer<u32> buffer;
        if (count_ > 0) buffer = std::move(spare_[--count_]);
        return buffer;
    }
    // Takes the buffer's memory, unless there are enough spares or it is very large.
    void put(Buffer<u32>& buffer) {
        if (count_ == kMost || buffer.capacity() > kMostIds || buffer.capacity() == 0) return;
        buffer.clear();
        spare_[count_++] = std::move(buffer);
    }

private:
    static constexpr u32 kMost = 32;
    static constexpr size_t kMostIds = 128 * 1024;

    Buffer<u32> spare_[kMost];
    u32 count_ = 0;
};

}  // namespace crayon
