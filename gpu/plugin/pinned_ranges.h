// The host memory that this plugin has pinned. Memory pinned by others counts as pageable, which costs only an extra copy.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "device/device.h"

namespace crayon::gpu {

class PinnedRanges {
public:
    void add(const void* memory, u64 length) {
        const std::lock_guard lock(mutex_);
        ends_[reinterpret_cast<std::uintptr_t>(memory)] = reinterpret_cast<std::uintptr_t>(memory) + length;
    }
    void remove(const void* memory) {
        const std::lock_guard lock(mutex_);
        ends_.erase(reinterpret_cast<std::uintptr_t>(memory));
    }
    bool has(const void* memory, u64 length) const {
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
        const std::lock_guard lock(mutex_);
        const auto after = ends_.upper_bound(begin);
        return after != ends_.begin() && begin + length <= std::prev(after)->second;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, std::uintptr_t> ends_;  // keyed by start
};

}  // namespace crayon::gpu
