// Builds the one-probe hash tables of layout/perfect_hash.h.
//
// Invariant of a finished builder: the pilots map every key to its own slot, and the same keys in the same order always
// give the same seed and pilots.
//
// Buckets are placed largest first. A bucket takes the first pilot that maps its keys to free slots; if there is none, it
// takes the cheapest slots from other buckets, which are then placed again (Groot Koerkamp, "PtrHash", SEA 2025). So tables
// can be 97 % full although a pilot has only 256 values. The format's hashes are little more than multiplications: hashes
// of regular keys (all pairs of two bytes, for example) are regular too, and need larger tables. The table grows after
// three failed seeds.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/perfect_hash.h"

namespace crayon {

class PerfectHashBuilder {
public:
    // `hash(i, seed)` is the 64-bit hash of key i, i < key_count; the keys are distinct. OUT_OF_MEMORY, or BUILD_FAILED
    // if keys have equal hashes under several seeds (then they are equal) or no seed of a fixed sequence works at any
    // size (never observed). Cost: linear; 150,000 keys take about 10 ms, plus a tenth of a second per failed seed.
    template <class Hash>
    Status build(u32 key_count, const Hash& hash);

    // The header of the last table, without entry_bytes.
    layout::PerfectHash header() const;
    const u8* pilots() const { return pilots_.data(); }
    // The slot of key i; its hash with the chosen seed.
    u32 slot(u32 key) const {
        return layout::slot_of(hashes_[key], pilots_[layout::bucket_of(hashes_[key], bucket_count_)], slot_count_);
    }
    u64 hash(u32 key) const { return hashes_[key]; }

private:
    static constexpr u32 kSizes = 12;
    static constexpr u32 kSeedsPerSize = 3;
    static constexpr u32 kSeedsOfEqualHashes = 5;  // the keys are certainly equal
    static constexpr u64 seed_at(u32 attempt) { return (attempt + 1) * layout::kMixD; }

    Status start(u32 key_count, u32 size);
    bool has_equal_hashes();
    bool place_all();
    void group_keys();
    void order_buckets();
    bool place(u32 bucket);
    bool place_by_eviction(u32 bucket);
    u32 slots_under(u32 bucket, u32 pilot, u32* slots) const;

    u64 seed_ = 0;
    u32 key_count_ = 0;
    u32 bucket_count_ = 0;
    u32 slot_count_ = 0;
    Buffer<u64> hashes_;
    Buffer<u8> pilots_;
    Buffer<u32> bucket_starts_;  // into low_halves_, bucket_count + 1
    Buffer<u32> low_halves_;     // of the hashes, bucket by bucket
    Buffer<u32> owners_;         // per slot: a bucket or kFree
    Buffer<u32> waiting_;        // buckets still to place, the next one last
    u32 evictions_ = 0;
    u32 recent_[4] = {};  // buckets recently placed by eviction: not to be evicted
};

template <class Hash>
Status PerfectHashBuilder::build(u32 key_count, const Hash& hash) {
    u32 equal_hashes = 0;
    for (u32 attempt = 0; attempt < kSizes * kSeedsPerSize; ++attempt) {
        const Status status = start(key_count, attempt / kSeedsPerSize);
        if (!status.ok()) return status;
        seed_ = seed_at(attempt);
        for (u32 i = 0; i < key_count; ++i) hashes_[i] = hash(i, seed_);
        if (place_all()) return {};
        if (has_equal_hashes() && ++equal_hashes == kSeedsOfEqualHashes) break;
    }
    return {CRAYON_BUILD_FAILED, 0, 0};
}

}  // namespace crayon
