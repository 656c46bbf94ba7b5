// Zeroed memory in whole pages, for tables that are read and written all over: a large one comes in large pages where the
// system has them, so that filling it takes a few page faults instead of a thousand, and reading it few address
// translations. (2 µs a fault on a virtual machine: half of what a fresh table cost, 2026-11.)
#pragma once

#include <cstddef>
#include <utility>

namespace crayon {

class ZeroedPages {
public:
    ZeroedPages() = default;
    ZeroedPages(const ZeroedPages&) = delete;
    ZeroedPages& operator=(const ZeroedPages&) = delete;
    ~ZeroedPages() { release(); }

    // `size` bytes in place of what was there; false, and no change, if memory is short. Pages take memory when they are
    // first written.
    [[nodiscard]] bool make(std::size_t size);

    void* data() const { return data_; }  // at a page
    std::size_t size() const { return size_; }

    void swap(ZeroedPages& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

private:
    void release();

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace crayon
