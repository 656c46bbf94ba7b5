// Memory for position lists, which live as long as the training.
#pragma once

#include <algorithm>
#include <new>

#include "base/integers.h"
#include "platform/zeroed_pages.h"

namespace crayon::train {

class PositionLists {
public:
    PositionLists() = default;
    PositionLists(const PositionLists&) = delete;
    PositionLists& operator=(const PositionLists&) = delete;
    ~PositionLists() {
        while (block_) {
            Block* const before = block_->before;
            delete block_;
            block_ = before;
        }
    }

    // Room for `count` positions; null if memory is short.
    u32* allocate(size_t count) {
        if ((count > left_ || !block_) && !open_block(count)) return nullptr;
        u32* const positions = next_;
        next_ += count;
        left_ -= count;
        return positions;
    }

private:
    struct Block {
        ZeroedPages pages;
        Block* before;
    };
    static constexpr size_t kPositions = size_t{1} << 20;  // a few large pages
    static constexpr size_t kFewPositions = 4096;          // for a small corpus

    bool open_block(size_t count) {
        const size_t positions = std::max(count, block_ ? kPositions : kFewPositions);
        Block* const block = new (std::nothrow) Block;
        if (!block) return false;
        if (!block->pages.make(positions * sizeof(u32))) {
            delete block;
            return false;
        }
        block->before = block_;
        block_ = block;
        next_ = static_cast<u32*>(block->pages.data());
        left_ = positions;
        return true;
    }

    Block* block_ = nullptr;
    u32* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace crayon::train
