// Bytes with one owner, mostly read: 64-byte-aligned private memory, or a mapped file. Move-only.
//
// Invariant: `data()` is 64-byte aligned (or null if there are no bytes) and does not move while the owner lives.
// Bytes after `length()` must not be read.
#pragma once

#include <cstring>
#include <utility>

#include "base/integers.h"
#include "platform/aligned_memory.h"

namespace crayon {

class OwnedBytes {
public:
    using Release = void (*)(u8* data, size_t length);

    OwnedBytes() = default;
    // Takes ownership of `data`; `release` frees it.
    OwnedBytes(u8* data, size_t length, Release release) : data_(data), length_(length), release_(release) {}
    OwnedBytes(const OwnedBytes&) = delete;
    OwnedBytes& operator=(const OwnedBytes&) = delete;
    OwnedBytes(OwnedBytes&& other) noexcept { swap(other); }
    OwnedBytes& operator=(OwnedBytes&& other) noexcept {
        swap(other);
        return *this;
    }
    ~OwnedBytes() {
        if (data_) release_(data_, length_);
    }

    // Uninitialised private memory; false if memory is short.
    [[nodiscard]] static bool allocate(size_t length, OwnedBytes* out) {
        void* const data = allocate_aligned(length);
        if (!data) return false;
        *out = OwnedBytes(static_cast<u8*>(data), length, free_private);
        return true;
    }

    // Private memory with a copy of these bytes.
    [[nodiscard]] static bool copy(const void* bytes, size_t length, OwnedBytes* out) {
        if (!allocate(length, out)) return false;
        if (length > 0) std::memcpy(out->data(), bytes, length);
        return true;
    }

    u8* data() { return data_; }
    const u8* data() const { return data_; }
    size_t length() const { return length_; }
    bool is_private() const { return release_ == free_private; }
    // Drops the end of private memory (`length` is at most `length()`).
    void shorten(size_t length) { length_ = length; }

private:
    static void free_private(u8* data, size_t) { free_aligned(data); }
    void swap(OwnedBytes& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(length_, other.length_);
        std::swap(release_, other.release_);
    }

    u8* data_ = nullptr;
    size_t length_ = 0;
    Release release_ = nullptr;
};

}  // namespace crayon
