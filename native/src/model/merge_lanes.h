// BPE by its definition on many pieces at once, merging each in turn.
//
// A merge waits for memory twice: for the merges of its new token with its left and right neighbours. A single piece has
// nothing else to do meanwhile; sixteen pieces in lanes issue their lookups together, and the answers arrive together.
//
// A lane holds a piece's units in an array, with a bit mask of the remaining ones, so a merge moves nothing.
#pragma once

#include <bit>

#include "kernels/kernel.h"
#include "model/bpe_pairs.h"

namespace crayon {

// One thread. Holds nothing between runs, and needs no initialisation.
class MergeLanes {
public:
    static constexpr u32 kLanes = 16;
    static constexpr u32 kUnits = 64;  // the most per piece

    // A piece in progress.
    struct Lane {
        u32 units[kUnits];
        u32* keys;  // kUnits: for the pair that begins at a unit, what may be its merge · 64 + the unit, or kNever
        u64 left;   // the remaining units
        u32 count;  // initial number of units
        u32 job;    // the job of the piece

        // Writes the remaining units; returns their number.
        u32 take(u32* tokens) const {
            u32 taken = 0;
            for (u64 rest = left; rest != 0; rest &= rest - 1) tokens[taken++] = units[std::countr_zero(rest)];
            return taken;
        }
    };
    // A key of a pair that merges is less than kNever; of one that does not, kNever and up to kUnits more.
    static constexpr u32 kNone = layout::kMaxTokens;
    static constexpr u32 key_of(u32 id, u32 unit) { return id * kUnits + unit; }
    static constexpr u32 kNever = kNone * kUnits;
    static_assert((u64{kNone} + 1) * kUnits <= 0x7FFFFFFF);

    // Looks up the keys of a lane that has its units.
    void set_keys(const Lane& lane, const BpePairs& pairs) {
        for (u32 i = 0; i + 1 < lane.count; ++i) ask(lane, i, pairs.hash(lane.units[i], lane.units[i + 1]));
    }

    // Merges the pieces of `count` jobs. open(job, lane) begins one: it sets the lane's units, count and keys; or it returns
    // false, and the job is done some other way. close(lane) takes the tokens.
    template <class Open, class Close>
    void run(u32 count, const BpePairs& pairs, LeastFunction least, const Open& open, const Close& close) {
        u32 next = 0, active = 0;
        Lane* lanes[kLanes];
        const u32* rows[kLanes];
        u32 lengths[kLanes], keys[kLanes];
        const auto fill = [&](u32 i) {
            Lane& lane = *lanes[i];
            while (next < count) {
                lane.job = next++;
                if (!open(lane.job, lane)) continue;
                lane.left = ~u64{0} >> (kUnits - lane.count);
                rows[i] = lane.keys;
                lengths[i] = lane.count <= kShortestRow ? kShortestRow : std::bit_ceil(lane.count);
                for (u32 unit = lane.count - 1; unit < lengths[i]; ++unit) lane.keys[unit] = kNever;
                return true;
            }
            return false;
        };
        asked_ = 0;
        for (; active < kLanes; ++active) {
            lanes[active] = &lanes_[active];
            lanes[active]->keys = keys_ + active * kUnits;
            if (!fill(active)) break;
        }
        while (active > 0) {
            answer(pairs);
            least(rows, lengths, active, keys);
            for (u32 i = 0; i < active; ++i) {
                if (keys[i] < kNever) pairs.prefetch_split(keys[i] / kUnits);
            }
            for (u32 i = active; i-- > 0;) {
                if (keys[i] < kNever) {
                    merge(*lanes[i], keys[i], pairs);
                    continue;
                }
                close(*lanes[i]);
                if (fill(i)) continue;
                --active;
                lanes[i] = lanes[active];
                rows[i] = rows[active];
                lengths[i] = lengths[active];
            }
        }
    }

private:
    struct Question {
        u64 hash;
        u32 at;  // of its key
    };

    void ask(const Lane& lane, u32 unit, u64 hash) { questions_[asked_++] = {hash, static_cast<u32>(lane.keys - keys_) + unit}; }

    void merge(Lane& lane, u32 key, const BpePairs& pairs) {
        const u32 unit = key % kUnits, id = key / kUnits;
        const u64 after = lane.left >> 1 >> unit << unit << 1;
        const u64 gone_bit = after & -after, beyond = after & (after - 1), before = lane.left & ~(~u64{0} << unit);
        const u32 gone = static_cast<u32>(std::countr_zero(gone_bit));
        lane.keys[unit] = kNever;
        if (!pairs.is_split(id, lane.units[unit], lane.units[gone])) [[unlikely]]
            return;
        lane.left ^= gone_bit;
        lane.units[unit] = id;
        lane.keys[gone] = kNever;
        if (beyond != 0) ask(lane, unit, pairs.hash(id, lane.units[std::countr_zero(beyond)]));
        if (before != 0) {
            const u32 previous = 63 - static_cast<u32>(std::countl_zero(before));
            ask(lane, previous, pairs.hash(lane.units[previous], id));
        }
    }

    // An answer is a token that the two units may merge to; that they do is checked when it is the lowest.
    void answer(const BpePairs& pairs) {
        for (u32 i = 0; i < asked_; ++i) {
            slots_[i] = pairs.slot(questions_[i].hash);
            crayon::prefetch(slots_[i]);
        }
        for (u32 i = 0; i < asked_; ++i) {
            const auto [hash, at] = questions_[i];
            const u32 id = *slots_[i] ^ BpePairs::print(hash);
            keys_[at] = key_of(id < kNone ? id : kNone, at % kUnits);
        }
        asked_ = 0;
    }

    alignas(64) u32 keys_[kLanes * kUnits];
    Lane lanes_[kLanes];
    Question questions_[kLanes * kUnits];
    const u32* slots_[kLanes * kUnits];
    u32 asked_;
};

}  // namespace crayon
