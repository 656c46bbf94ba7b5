// Memory for lists of places that live as long as the training.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "base/integers.h"

namespace crayon::train {

class PositionLists {
public:
    PositionLists() = default;
    PositionLists(const PositionLists&) = delete;
    PositionLists& operator=(const PositionLists&) = delete;
    ~PositionLists() {
        while (block_) {
            Block* const before = block_->before;
            std::free(block_);
            block_ = before;
        }
    }

    // Room for `count` places; null if memory is short.
    u32* allocate(size_t count) {
        if ((count > left_ || !block_) && !open_block(count)) return nullptr;
        u32* const places = next_;
        next_ += count;
        left_ -= count;
        return places;
    }

private:
    struct Block {
        Block* before;
    };
    static constexpr size_t kPlaces = (size_t{1} << 18) - sizeof(Block) / sizeof(u32);

    bool open_block(size_t count) {
        const size_t places = std::max(count, kPlaces);
        Block* const block = static_cast<Block*>(std::malloc(sizeof(Block) + places * sizeof(u32)));
        if (!block) return false;
        block->before = block_;
        block_ = block;
        next_ = reinterpret_cast<u32*>(block + 1);
        left_ = places;
        return true;
    }

    Block* block_ = nullptr;
    u32* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace crayon::train
