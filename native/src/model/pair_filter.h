// Which pairs of units may merge at all: a Bloom filter for the first lookups of merging.
//
// Five of six pairs of adjacent characters do not merge. The filter decides that from 64 KB, which stay in a nearby cache,
// and avoids the three lookups in megabytes of tables that an answer takes. It may say "maybe" for a pair that does not
// merge, never "no" for one that does.
//
// It contains the pairs whose halves can both be units: single bytes, characters, and parts of characters.
#pragma once

#include "base/buffer.h"
#include "model/bpe_pairs.h"

namespace crayon {

// One thread. Cost of building: one pass over the splits, under a millisecond for 200,000 tokens.
class PairFilter {
public:
    // Builds the filter on the first use; false if memory is short.
    bool ready(const BpeView& tables, const BpePairs& pairs) { return built() || build(tables, pairs); }
    bool built() const { return !words_.empty(); }

    // Whether the units with this BpePairs::hash may merge.
    bool maybe(u64 hash) const {
        const u64 bits = bits_of(hash);
        return (words_[hash >> kShift] & bits) == bits;
    }

private:
    static constexpr u32 kShift = 64 - 13;  // 8,192 words

    static u64 bits_of(u64 hash) { return u64{1} << (hash >> 45 & 63) | u64{1} << (hash >> 39 & 63); }
    bool build(const BpeView& tables, const BpePairs& pairs);

    Buffer<u64> words_;
};

}  // namespace crayon
