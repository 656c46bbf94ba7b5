// A min-heap of numbers, and a sort, with little code for WebAssembly: std::priority_queue would pull in error reporting, and
// each use of std::sort adds about 2 KB.
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon {

class LeastHeap {
public:
    [[nodiscard]] bool reserve(size_t count) { return entries_.reserve(count); }
    void clear() { entries_.clear(); }
    bool empty() const { return entries_.empty(); }

    // False if memory is short.
    [[nodiscard]] bool add(u64 entry) {
        if (!entries_.push_back(entry)) return false;
        size_t at = entries_.size() - 1;
        for (; at > 0 && entries_[(at - 1) / 2] > entry; at = (at - 1) / 2) entries_[at] = entries_[(at - 1) / 2];
        entries_[at] = entry;
        return true;
    }
    // The heap must not be empty.
    u64 take() {
        const u64 least = entries_[0], last = entries_.back();
        entries_.pop_back();
        const size_t size = entries_.size();
        size_t at = 0;
        for (size_t child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && entries_[child + 1] < entries_[child]) ++child;
            if (entries_[child] >= last) break;
            entries_[at] = entries_[child];
            at = child;
        }
        if (size > 0) entries_[at] = last;
        return least;
    }

private:
    Buffer<u64> entries_;
};

// Sorts in place. Not stable; n log n steps for any order.
template <class Row, class Less>
void heap_sort(Row* first, Row* last, Less less) {
    std::make_heap(first, last, less);
    std::sort_heap(first, last, less);
}

}  // namespace crayon
