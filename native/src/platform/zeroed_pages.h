// Zeroed memory in whole pages, for tables with random access: a large table uses large pages where the system has them, so
// filling it takes a few page faults instead of a thousand, and reading it takes few address translations. (A fault takes 2
// µs on a virtual machine, half the cost of a new table; 2026-11.)
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

    // Replaces the memory with `size` zero bytes; false, without changes, if memory is short. Pages take memory only when
    // first written.
    [[nodiscard]] bool make(std::size_t size);

    void* data() const { return data_; }  // page-aligned
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
