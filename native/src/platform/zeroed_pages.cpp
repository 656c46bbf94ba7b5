#include "platform/zeroed_pages.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

// AddressSanitizer only checks the heap.
#if __has_include(<sys/mman.h>) && !defined(CRAYON_SANITIZED) && !defined(__EMSCRIPTEN__)
#define CRAYON_MAPS_PAGES 1
#include <sys/mman.h>
#endif

namespace crayon {

#ifdef CRAYON_MAPS_PAGES

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

void* map(std::size_t size) {
    void* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

// Aligned to a large page: maps more, and unmaps the excess.
void* map_large(std::size_t size) {
    std::uint8_t* const mapped = static_cast<std::uint8_t*>(map(size + kLargePage));
    if (!mapped) return nullptr;
    const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(mapped) % kLargePage) % kLargePage;
    if (before > 0) ::munmap(mapped, before);
    ::munmap(mapped + before + size, kLargePage - before);
#ifdef MADV_HUGEPAGE
    ::madvise(mapped + before, size, MADV_HUGEPAGE);  // a hint
#endif
    return mapped + before;
}

}  // namespace

bool ZeroedPages::make(std::size_t size) {
    void* const pages = size >= kLargePage ? map_large(size) : map(size);
    if (!pages) return false;
    release();
    data_ = pages;
    size_ = size;
    return true;
}

void ZeroedPages::release() {
    if (data_) ::munmap(data_, size_);
}

#else

bool ZeroedPages::make(std::size_t size) {
    constexpr std::size_t kPage = 4096;
    size = (size + kPage - 1) / kPage * kPage;
    void* const pages = std::aligned_alloc(kPage, size);
    if (!pages) return false;
    std::memset(pages, 0, size);
    release();
    data_ = pages;
    size_ = size;
    return true;
}

void ZeroedPages::release() { std::free(data_); }

#endif

}  // namespace crayon
