// A growable array of trivially copyable values. Every allocation can fail: the engine is built without exceptions, and
// running out of memory is a status, not an abort. Move-only.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace crayon {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& back() { return data_[size_ - 1]; }

    // Hands over the memory, to be freed with std::free, and leaves the buffer empty.
    T* detach() {
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    // Shortens to `size` elements (at most size()).
    void truncate(std::size_t size) { size_ = size; }

    // Removes the first `count` elements (at most size()).
    void drop_front(std::size_t count) {
        size_ -= count;
        if (size_ > 0) std::memmove(data_, data_ + count, size_ * sizeof(T));
    }

    // Ensures capacity for `capacity` elements; returns false and changes nothing if memory is short.
    [[nodiscard]] bool reserve(std::size_t capacity) {
        if (capacity <= capacity_) return true;
        if (capacity > static_cast<std::size_t>(-1) / sizeof(T)) return false;
        void* grown = std::realloc(data_, capacity * sizeof(T));
        if (!grown) return false;
        data_ = static_cast<T*>(grown);
        capacity_ = capacity;
        return true;
    }
    // Returns capacity beyond the size to the system, if there is much.
    void release_spare() {
        if (capacity_ - size_ <= size_ / 4) return;
        if (void* smaller = std::realloc(data_, size_ * sizeof(T))) {
            data_ = static_cast<T*>(smaller);
            capacity_ = size_;
        }
    }
    // New elements are not initialised.
    [[nodiscard]] bool resize(std::size_t size) {
        if (size > capacity_ && !reserve(size > capacity_ * 2 ? size : capacity_ * 2)) return false;
        size_ = size;
        return true;
    }
    [[nodiscard]] bool assign(std::size_t size, const T& value) {
        if (!resize(size)) return false;
        for (std::size_t i = 0; i < size; ++i) data_[i] = value;
        return true;
    }
    // Replaces the contents with `size` zeroed elements. Pages of a large buffer take memory only when first written.
    [[nodiscard]] bool zeroed(std::size_t size) {
        void* fresh = std::calloc(size, sizeof(T));
        if (!fresh) return false;
        std::free(data_);
        data_ = static_cast<T*>(fresh);
        size_ = capacity_ = size;
        return true;
    }
    [[nodiscard]] bool push_back(const T& value) {
        T copy = value;
        if (!resize(size_ + 1)) return false;
        data_[size_ - 1] = copy;
        return true;
    }
    [[nodiscard]] bool append(const T* values, std::size_t count) {
        std::size_t at = size_;
        if (!resize(size_ + count)) return false;
        if (count) std::memcpy(data_ + at, values, count * sizeof(T));
        return true;
    }
    // Replaces the contents.
    [[nodiscard]] bool assign(const T* values, std::size_t count) {
        size_ = 0;
        return append(values, count);
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace crayon
