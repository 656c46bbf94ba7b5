#include "tables/perfect_hash_builder.h"

#include <algorithm>
#include <iterator>

namespace crayon {

namespace {

// Constants of this builder, not of the format. With three keys per bucket hardly any bucket needs an eviction at this
// fill; with four, 97 % takes 600 times as long (39,333 keys: 14 ms and 8.4 s, November 2026) and 98 % is never
// reached.
constexpr u32 kKeysPerBucket = 3;
constexpr u32 kSlotsPerThousandKeys = 1031;  // 97 % full
constexpr u32 kGrowthPercent = 115;          // of slots and buckets, per step

constexpr u32 kFree = 0xFFFFFFFF;
constexpr u32 kMaxBucket = 64;  // seeds that give a larger bucket are given up
constexpr u32 kPilots = 256;

}  // namespace

// `size`: how many times the table has grown.
Status PerfectHashBuilder::start(u32 key_count, u32 size) {
    u64 buckets = (key_count + kKeysPerBucket - 1) / kKeysPerBucket;
    u64 slots = (u64{key_count} * kSlotsPerThousandKeys + 999) / 1000;
    for (; size > 0; --size) {
        buckets = (buckets * kGrowthPercent + 99) / 100;
        slots = (slots * kGrowthPercent + 99) / 100;
    }
    key_count_ = key_count;
    bucket_count_ = static_cast<u32>(std::max<u64>(1, buckets));
    slot_count_ = static_cast<u32>(std::max<u64>(1, slots));
    const bool allocated = hashes_.resize(key_count) && pilots_.resize(bucket_count_) &&
                           bucket_starts_.resize(size_t{bucket_count_} + 1) && low_halves_.resize(key_count) &&
                           owners_.resize(slot_count_) && waiting_.resize(bucket_count_);
    return allocated ? Status{} : Status::out_of_memory();
}

layout::PerfectHash PerfectHashBuilder::header() const {
    layout::PerfectHash header{};
    header.seed = seed_;
    header.key_count = key_count_;
    header.bucket_count = bucket_count_;
    header.slot_count = slot_count_;
    return header;
}

// Counting sort of the keys by bucket.
void PerfectHashBuilder::group_keys() {
    std::fill(bucket_starts_.begin(), bucket_starts_.end(), 0);
    for (u64 hash : hashes_) ++bucket_starts_[layout::bucket_of(hash, bucket_count_)];
    u32 end = 0;
    for (u32& start : bucket_starts_) start = end += start;
    for (u32 i = key_count_; i > 0; --i) {
        low_halves_[--bucket_starts_[layout::bucket_of(hashes_[i - 1], bucket_count_)]] = static_cast<u32>(hashes_[i - 1]);
    }
}

// After a seed has failed: its hashes are no longer needed.
bool PerfectHashBuilder::has_equal_hashes() {
    std::sort(hashes_.begin(), hashes_.end());
    return std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end();
}

// Largest last, because the last one is placed next; empty ones are left out.
void PerfectHashBuilder::order_buckets() {
    u32 counts[kMaxBucket + 2] = {};
    for (u32 b = 0; b < bucket_count_; ++b) ++counts[bucket_starts_[b + 1] - bucket_starts_[b]];
    u32 starts[kMaxBucket + 2] = {};
    for (u32 size = 2; size <= kMaxBucket; ++size) starts[size] = starts[size - 1] + counts[size - 1];
    waiting_.truncate(bucket_count_ - counts[0]);
    for (u32 b = bucket_count_; b > 0; --b) {
        const u32 size = bucket_starts_[b] - bucket_starts_[b - 1];
        if (size > 0) waiting_[starts[size]++] = b - 1;
    }
}

// Writes the slots of the bucket's keys; returns their number, or 0 if two are equal.
u32 PerfectHashBuilder::slots_under(u32 bucket, u32 pilot, u32* slots) const {
    u32 count = 0;
    for (u32 i = bucket_starts_[bucket]; i < bucket_starts_[bucket + 1]; ++i) {
        const u32 slot = layout::slot_of(low_halves_[i], static_cast<u8>(pilot), slot_count_);
        for (u32 j = 0; j < count; ++j) {
            if (slots[j] == slot) return 0;
        }
        slots[count++] = slot;
    }
    return count;
}

// Places a bucket in free slots, with the first pilot that fits.
bool PerfectHashBuilder::place(u32 bucket) {
    const u32 begin = bucket_starts_[bucket], end = bucket_starts_[bucket + 1];
    for (u32 pilot = 0; pilot < kPilots; ++pilot) {
        u32 i = begin;
        while (i < end && owners_[layout::slot_of(low_halves_[i], static_cast<u8>(pilot), slot_count_)] == kFree) ++i;
        if (i < end) continue;
        u32 slots[kMaxBucket];
        const u32 count = slots_under(bucket, pilot, slots);
        if (count == 0) continue;
        for (u32 j = 0; j < count; ++j) owners_[slots[j]] = bucket;
        pilots_[bucket] = static_cast<u8>(pilot);
        return true;
    }
    return false;
}

// Places a bucket in the slots that are cheapest to free. False if, with every pilot, two keys of the bucket collide, or
// one collides with a bucket recently placed this way.
bool PerfectHashBuilder::place_by_eviction(u32 bucket) {
    // The cost of freeing a bucket's slots grows with its size: large ones are hard to place again. The search starts at
    // another pilot each time, so that the same buckets do not evict each other forever.
    const u32 eviction = evictions_++;
    u32 slots[kMaxBucket];
    u64 least_cost = ~u64{0};
    u32 best = 0;
    for (u32 i = 0; i < kPilots && least_cost > 1; ++i) {
        const u32 pilot = (i + eviction * 97) % kPilots;
        const u32 count = slots_under(bucket, pilot, slots);
        u64 cost = count == 0 ? ~u64{0} : 0;
        for (u32 j = 0; j < count && cost < least_cost; ++j) {
            const u32 owner = owners_[slots[j]];
            if (owner == kFree) continue;
            if (std::find(std::begin(recent_), std::end(recent_), owner) != std::end(recent_)) {
                cost = ~u64{0};
                break;
            }
            const u64 size = bucket_starts_[owner + 1] - bucket_starts_[owner];
            cost += size * size;
        }
        if (cost < least_cost) {
            least_cost = cost;
            best = pilot;
        }
    }
    if (least_cost == ~u64{0}) return false;

    const u32 count = slots_under(bucket, best, slots);
    for (u32 j = 0; j < count; ++j) {
        const u32 owner = owners_[slots[j]];
        if (owner == kFree) continue;
        u32 freed[kMaxBucket];
        const u32 freed_count = slots_under(owner, pilots_[owner], freed);
        for (u32 k = 0; k < freed_count; ++k) owners_[freed[k]] = kFree;
        if (!waiting_.push_back(owner)) return false;  // at most bucket_count in total, so there is space
    }
    for (u32 j = 0; j < count; ++j) owners_[slots[j]] = bucket;
    pilots_[bucket] = static_cast<u8>(best);
    recent_[eviction % 4] = bucket;
    return true;
}

bool PerfectHashBuilder::place_all() {
    group_keys();
    for (u32 b = 0; b < bucket_count_; ++b) {
        if (bucket_starts_[b + 1] - bucket_starts_[b] > kMaxBucket) return false;
    }
    order_buckets();
    std::fill(owners_.begin(), owners_.end(), kFree);
    std::fill(pilots_.begin(), pilots_.end(), u8{0});
    std::fill(std::begin(recent_), std::end(recent_), kFree);
    evictions_ = 0;
    // Usually one bucket in a hundred is placed by eviction. A seed that needs more than this will not terminate.
    const u32 most_evictions = 1000 + bucket_count_ / 10;
    while (!waiting_.empty()) {
        const u32 bucket = waiting_.back();
        waiting_.pop_back();
        if (place(bucket)) continue;
        if (evictions_ == most_evictions || !place_by_eviction(bucket)) return false;
    }
    return true;
}

}  // namespace crayon
