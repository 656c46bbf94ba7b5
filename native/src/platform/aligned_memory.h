// Memory aligned to 64, the size of a cache line.
#pragma once

#include <cstddef>
#include <cstdlib>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace crayon {

// Uninitialised; nullptr if memory is short. Free with free_aligned only.
inline void* allocate_aligned(std::size_t size) {
    constexpr std::size_t kAlignment = 64;
    if (size == 0) size = 1;
#ifdef _WIN32
    return ::_aligned_malloc(size, kAlignment);
#else
    void* memory = nullptr;
    return ::posix_memalign(&memory, kAlignment, size) == 0 ? memory : nullptr;
#endif
}

inline void free_aligned(void* memory) {
#ifdef _WIN32
    ::_aligned_free(memory);
#else
    std::free(memory);
#endif
}

}  // namespace crayon
