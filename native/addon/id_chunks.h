// Collects token ids for a typed array of unknown length: a stack of chunks, each as large as all below it.
//
// Invariant: ids are written once and copied once; nothing is moved when the stack grows. Copying to the array frees
// the chunks one by one. The largest chunks are mapped and unmapped directly by allocators, so the peak memory of a long
// result is the result plus at most 64 MB. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "crayon/crayon.h"

namespace crayon::addon {

struct IdChunk {
    IdChunk* below;
    std::uint32_t capacity;
    std::uint32_t count;
    std::uint32_t* ids() { return reinterpret_cast<std::uint32_t*>(this + 1); }
};

// Unused chunks, at most 4 MiB: new memory costs more than writing ids into it. One thread.
class SpareChunks {
public:
    SpareChunks() = default;
    SpareChunks(const SpareChunks&) = delete;
    SpareChunks& operator=(const SpareChunks&) = delete;
    ~SpareChunks() {
        while (IdChunk* chunk = take(0)) std::free(chunk);
    }

    // Returns the largest chunk if it has that capacity; otherwise nullptr.
    IdChunk* take(std::size_t capacity) {
        if (!top_ || top_->capacity < capacity) return nullptr;
        IdChunk* chunk = top_;
        top_ = chunk->below;
        kept_ -= chunk->capacity;
        return chunk;
    }
    // Keeps the chunk or frees it.
    void give(IdChunk* chunk) {
        if (kept_ + chunk->capacity > kMost) {
            std::free(chunk);
            return;
        }
        IdChunk** link = &top_;
        while (*link && (*link)->capacity > chunk->capacity) link = &(*link)->below;
        chunk->below = *link;
        *link = chunk;
        kept_ += chunk->capacity;
    }

private:
    static constexpr std::size_t kMost = 1024 * 1024;  // ids

    IdChunk* top_ = nullptr;  // in descending order of capacity
    std::size_t kept_ = 0;
};

class IdChunks {
public:
    explicit IdChunks(SpareChunks& spare) : spare_(spare) {}
    IdChunks(const IdChunks&) = delete;
    IdChunks& operator=(const IdChunks&) = delete;
    ~IdChunks() { clear(); }

    std::size_t count() const { return count_; }

    // Reads the encoder's ready ids. False: a failure, stored in `result`.
    bool read(crayon_encoder* encoder, crayon_result& result) {
        do {
            if (!ensure_capacity()) {
                result = {};
                result.status = CRAYON_OUT_OF_MEMORY;
                return false;
            }
            crayon_status status = crayon_encoder_read(encoder, top_->ids() + top_->count, top_->capacity - top_->count, &result);
            if (status != CRAYON_OK) return false;
            add(result.count);
        } while (result.more);
        return true;
    }

    // The same with offsets in `unit`, two per id, appended to `offsets`.
    bool read_with_offsets(crayon_encoder* encoder, IdChunks& offsets, std::uint32_t unit, crayon_result& result) {
        do {
            if (!ensure_capacity() || !offsets.ensure_capacity()) {
                result = {};
                result.status = CRAYON_OUT_OF_MEMORY;
                return false;
            }
            std::uint32_t pairs = (offsets.top_->capacity - offsets.top_->count) / 2;
            std::uint32_t capacity = top_->capacity - top_->count;
            if (capacity > pairs) capacity = pairs;
            crayon_status status = crayon_encoder_read_with_offsets(
                encoder, top_->ids() + top_->count, offsets.top_->ids() + offsets.top_->count, capacity, unit, &result);
            if (status != CRAYON_OK) return false;
            add(result.count);
            offsets.add(2 * result.count);
        } while (result.more);
        return true;
    }

    // False if memory is short.
    bool append(const std::uint32_t* ids, std::size_t count) {
        while (count) {
            if (!ensure_capacity()) return false;
            std::size_t part = top_->capacity - top_->count;
            if (part > count) part = count;
            std::memcpy(top_->ids() + top_->count, ids, part * sizeof(std::uint32_t));
            top_->count += static_cast<std::uint32_t>(part);
            count_ += part;
            ids += part;
            count -= part;
        }
        return true;
    }

    // Moves the ids to `target`, which has space for count() of them (and may be null if there are none).
    void take(std::uint32_t* target) {
        while (top_) {
            count_ -= top_->count;
            if (top_->count) std::memcpy(target + count_, top_->ids(), top_->count * sizeof(std::uint32_t));
            pop();
        }
    }

    void clear() {
        while (top_) pop();
        count_ = 0;
    }

private:
    static constexpr std::size_t kSmallest = 1024;            // ids
    static constexpr std::size_t kLargest = 8 * 1024 * 1024;  // 32 MiB, the most that glibc may keep

    bool ensure_capacity() {
        if (top_ && top_->count < top_->capacity) return true;
        std::size_t capacity = count_ < kSmallest ? kSmallest : count_ < kLargest ? count_ : kLargest;
        IdChunk* chunk = spare_.take(capacity);
        if (!chunk) {
            chunk = static_cast<IdChunk*>(std::malloc(sizeof(IdChunk) + capacity * sizeof(std::uint32_t)));
            if (!chunk) return false;
            chunk->capacity = static_cast<std::uint32_t>(capacity);
        }
        chunk->below = top_;
        chunk->count = 0;
        top_ = chunk;
        return true;
    }

    void add(std::uint32_t count) {
        top_->count += count;
        count_ += count;
    }

    void pop() {
        IdChunk* chunk = top_;
        top_ = chunk->below;
        spare_.give(chunk);
    }

    SpareChunks& spare_;
    IdChunk* top_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace crayon::addon
