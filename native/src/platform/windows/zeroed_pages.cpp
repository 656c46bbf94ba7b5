#include "platform/zeroed_pages.h"

#include "platform/windows/win32.h"

namespace crayon {

bool ZeroedPages::make(std::size_t size) {
    void* const pages = ::VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!pages) return false;
    release();
    data_ = pages;
    size_ = size;
    return true;
}

void ZeroedPages::release() {
    if (data_) ::VirtualFree(data_, 0, MEM_RELEASE);
}

}  // namespace crayon
