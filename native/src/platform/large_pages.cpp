#include "platform/large_pages.h"

#include <cstdint>

#if __has_include(<sys/mman.h>) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#endif

namespace crayon {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    // Smaller allocations come from malloc's heap, whose pages have been used before.
    constexpr std::size_t kFresh = std::size_t{8} << 20;
    if (size < kFresh) return;
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + size;
    const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage, last = end / kLargePage * kLargePage;
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

void make_present([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t kLittle = 256 * 1024;
    constexpr std::uintptr_t kPage = 4096;
    constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, from Linux 5.14 on, which older headers lack
    if (size < kLittle) return;
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = (begin + size) / kPage * kPage;
    ::madvise(reinterpret_cast<void*>(first), last - first, kPopulateWrite);
#endif
}

}  // namespace crayon
