// The ids of a long text until their number is known. Their memory is used again for the next text, since fresh memory costs more
// than the ids' copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "crayon/crayon.h"

namespace crayon::addon {

class GatheredIds {
public:
    GatheredIds() = default;
    GatheredIds(const GatheredIds&) = delete;
    GatheredIds& operator=(const GatheredIds&) = delete;
    ~GatheredIds() { std::free(ids_); }

    const std::uint32_t* data() const { return ids_; }
    std::size_t count() const { return count_; }
    // Makes room for `likely` ids of a text that begins: pages that nobody writes to cost nothing, but more memory later may be a
    // copy.
    void begin(std::size_t likely) {
        if (count_ == 0 && likely > capacity_) grow(likely);
    }
    // Room for at least `least` more ids; nullptr: memory is short.
    std::uint32_t* room(std::size_t least, std::uint32_t& room) {
        if (capacity_ - count_ < least && !grow(std::max(count_ + least, 2 * capacity_))) return nullptr;
        room = static_cast<std::uint32_t>(std::min<std::size_t>(capacity_ - count_, 0xFFFFFFFF));
        return ids_ + count_;
    }
    // So many have been written there.
    void add(std::size_t count) { count_ += count; }
    // Forgets the ids, and the memory if there is much.
    void clear() {
        count_ = 0;
        if (capacity_ > kKept) release();
    }
    void release() {
        std::free(ids_);
        ids_ = nullptr;
        count_ = capacity_ = 0;
    }

private:
    static constexpr std::size_t kKept = 1024 * 1024;

    bool grow(std::size_t capacity) {
        void* const grown = std::realloc(ids_, capacity * sizeof(std::uint32_t));
        if (!grown) return false;
        ids_ = static_cast<std::uint32_t*>(grown);
        capacity_ = capacity;
        crayon_memory_prepare(ids_, capacity * sizeof(std::uint32_t), 0);
        return true;
    }

    std::uint32_t* ids_ = nullptr;
    std::size_t count_ = 0, capacity_ = 0;
};

}  // namespace crayon::addon
