// Token ids on their way to a typed array whose length is not known yet: a list of equal chunks.
//
// Invariant: ids are written once and copied once; nothing is moved when the list grows, and copying out frees each
// chunk as it goes, so the peak is the result plus one chunk. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "crayon/crayon.h"

namespace crayon::addon {

class IdChunks {
public:
    IdChunks() = default;
    IdChunks(const IdChunks&) = delete;
    IdChunks& operator=(const IdChunks&) = delete;
    ~IdChunks() { clear(); }

    std::size_t count() const { return count_; }

    // Reads everything that the encoder has ready. False: `result` says what failed.
    bool read(crayon_encoder* encoder, crayon_result& result) {
        do {
            if (!room()) {
                result = {};
                result.status = CRAYON_OUT_OF_MEMORY;
                return false;
            }
            if (crayon_encoder_read(encoder, last_->ids + last_->count, kChunkIds - last_->count, &result) !=
                CRAYON_OK) {
                return false;
            }
            last_->count += result.count;
            count_ += result.count;
        } while (result.more);
        return true;
    }

    // False if memory is short.
    bool append(const std::uint32_t* ids, std::size_t count) {
        while (count) {
            if (!room()) return false;
            std::size_t part = kChunkIds - last_->count;
            if (part > count) part = count;
            std::memcpy(last_->ids + last_->count, ids, part * sizeof(std::uint32_t));
            last_->count += static_cast<std::uint32_t>(part);
            count_ += part;
            ids += part;
            count -= part;
        }
        return true;
    }

    // Moves the ids to `target`, which has room for count() of them.
    void take(std::uint32_t* target) {
        while (first_) {
            std::memcpy(target, first_->ids, first_->count * sizeof(std::uint32_t));
            target += first_->count;
            drop_first();
        }
        clear();
    }

    void clear() {
        while (first_) drop_first();
        last_ = nullptr;
        count_ = 0;
    }

private:
    static constexpr std::uint32_t kChunkIds = 16 * 1024 - 4;  // with its header a chunk fills 64 KiB
    struct Chunk {
        Chunk* next;
        std::uint32_t count;
        std::uint32_t ids[kChunkIds];
    };

    bool room() {
        if (last_ && last_->count < kChunkIds) return true;
        Chunk* chunk = static_cast<Chunk*>(std::malloc(sizeof(Chunk)));
        if (!chunk) return false;
        chunk->next = nullptr;
        chunk->count = 0;
        (last_ ? last_->next : first_) = chunk;
        last_ = chunk;
        return true;
    }

    void drop_first() {
        Chunk* next = first_->next;
        std::free(first_);
        first_ = next;
    }

    Chunk* first_ = nullptr;
    Chunk* last_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace crayon::addon
