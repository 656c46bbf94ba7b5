// Which tokens may follow which, with cached answers: the check takes about ten dependent reads, and a piece of many tokens
// repeats the same pairs.
#pragma once

#include "base/buffer.h"
#include "model/bpe_pairs.h"

namespace crayon {

// One thread, one vocabulary.
class Adjacency {
public:
    // Allocates the memory on first use; false if memory is short.
    bool ready() { return !answers_.empty() || answers_.zeroed(u64{1} << kBits); }

    // Same result as pairs.adjacent.
    bool adjacent(u32 left, u32 right, const BpePairs& pairs) {
        const u64 key = (left | u64{right} << layout::kPairIdBits) << 2 | 2;
        u64& entry = answers_[key * layout::kMixA >> (64 - kBits)];
        if ((entry | 1) != (key | 1)) entry = key | !pairs.adjacent(left, right);
        return (entry & 1) == 0;
    }

private:
    static constexpr u32 kBits = 13;

    Buffer<u64> answers_;  // the pair, 21 bits each; bit 1: in use; bit 0: not adjacent
};

}  // namespace crayon
