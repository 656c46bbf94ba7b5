// Pairs that may be merged, by count: highest first; on ties, the greatest key first.
//
// Most pairs are rare and never reached. So they are kept in bags by the bit width of their count, and only the bag with
// the highest counts is a heap; the next one becomes a heap when that is empty.
#pragma once

#include <algorithm>
#include <bit>

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon::train {

// A pair with a list of its positions.
struct QueuedPair {
    u64 count;  // at the time of counting; it may have decreased since
    u64 key;    // of the pair, in tie-breaking order
    u32* positions;
    u32 length;
    u32 since;  // the number of merges at the time of counting

    bool is_before(const QueuedPair& other) const { return count > other.count || (count == other.count && key > other.key); }
};

class PairQueue {
public:
    bool empty() const { return top_ == 0; }
    // `pair.count` must be positive.
    [[nodiscard]] bool push(const QueuedPair& pair) {
        const u32 bag = static_cast<u32>(std::bit_width(pair.count));
        if (!bags_[bag].push_back(pair)) return false;
        if (bag < top_) return true;
        // A bag above the top one is empty, and one pair is a heap.
        top_ = bag;
        std::push_heap(bags_[bag].begin(), bags_[bag].end(), is_after);
        return true;
    }
    // Must not be empty.
    const QueuedPair& top() const { return bags_[top_][0]; }
    QueuedPair pop() {
        Buffer<QueuedPair>& heap = bags_[top_];
        std::pop_heap(heap.begin(), heap.end(), is_after);
        const QueuedPair pair = heap.back();
        heap.pop_back();
        while (top_ > 0 && bags_[top_].empty()) {
            bags_[top_] = Buffer<QueuedPair>();
            --top_;
            std::make_heap(bags_[top_].begin(), bags_[top_].end(), is_after);
        }
        return pair;
    }

private:
    static bool is_after(const QueuedPair& a, const QueuedPair& b) { return b.is_before(a); }

    Buffer<QueuedPair> bags_[65];
    u32 top_ = 0;  // the highest non-empty bag; 0: all are empty
};

}  // namespace crayon::train
