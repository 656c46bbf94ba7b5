#include "model/merge_by_priority.h"

#include "model/bpe.h"

namespace crayon {

namespace {

using layout::kNone;

// Up to this many units are merged in an array, which takes time with their square.
constexpr u32 kMostInArray = 24;

u32 merge_in_array(u32* units, u32 count, const BpePairs& pairs, const u32* priorities) {
    u32 tokens[kMostInArray];
    for (u32 i = 0; i + 1 < count; ++i) tokens[i] = pairs.merged(units[i], units[i + 1]);
    for (;; --count) {
        u32 at = kNone;
        for (u32 i = 0; i + 1 < count; ++i) {
            if (tokens[i] != kNone && (at == kNone || priorities[tokens[i]] < priorities[tokens[at]])) at = i;
        }
        if (at == kNone) return count;
        units[at] = tokens[at];
        for (u32 i = at + 1; i + 1 < count; ++i) {
            units[i] = units[i + 1];
            tokens[i] = tokens[i + 1];
        }
        if (at > 0) tokens[at - 1] = pairs.merged(units[at - 1], units[at]);
        if (at + 2 < count) tokens[at] = pairs.merged(units[at], units[at + 1]);
    }
}

class LinkedMerger {
public:
    LinkedMerger(u32* units, u32 count, const BpePairs& pairs, const u32* priorities, PriorityScratch& scratch)
        : units_(units), count_(count), pairs_(pairs), priorities_(priorities), parts_(scratch.parts), heap_(scratch.heap) {}

    bool merge(u32* left) {
        // Each merge adds two pairs, and takes one at least.
        if (!parts_.resize(count_) || !heap_.reserve(2 * size_t{count_})) return false;
        heap_.clear();
        for (u32 i = 0; i < count_; ++i) parts_[i] = {kNone, i - 1, i + 1};
        for (u32 i = 0; i + 1 < count_; ++i) {
            if (!look(i)) return false;
        }
        while (!heap_.empty()) {
            const u64 lowest = heap_.take();
            const u32 at = static_cast<u32>(lowest);
            auto& [token, previous, next] = parts_[at];
            // An outdated entry. If the pair now makes another token of the same priority, it would be the lowest anyway.
            if (token == kNone || priorities_[token] != lowest >> 32) continue;
            units_[at] = token;
            parts_[next].token = kNone;
            next = parts_[next].next;
            if (next < count_) parts_[next].previous = at;
            if ((at > 0 && !look(previous)) || !look(at)) return false;
        }
        *left = 0;
        for (u32 at = 0; at < count_; at = parts_[at].next) units_[(*left)++] = units_[at];
        return true;
    }

private:
    bool look(u32 at) {
        PriorityScratch::Part& part = parts_[at];
        part.token = part.next < count_ ? pairs_.merged(units_[at], units_[part.next]) : kNone;
        return part.token == kNone || heap_.add(u64{priorities_[part.token]} << 32 | at);
    }

    u32* const units_;
    const u32 count_;
    const BpePairs& pairs_;
    const u32* const priorities_;
    Buffer<PriorityScratch::Part>& parts_;
    LeastHeap& heap_;
};

}  // namespace

// From the characters of BPE over characters, which are complete before anything else merges, else from bytes. n log n.
bool Bpe::merge_by_priority(const u8* piece, u32 length, BpeScratch& scratch) const {
    if (!scratch.ids.resize(length)) return false;
    u32* const units = scratch.ids.data();
    u32 count = 0;
    if (hidden_.any() && t_.crossings.empty()) {
        if (!scratch.characters.ready(t_)) return false;
        count = scratch.characters.units(piece, length, pairs_, byte_ids_, units).count;
    }
    if (count == 0) {
        count = length;
        for (u32 i = 0; i < length; ++i) units[i] = byte_ids_[piece[i]];
    }
    if (count <= kMostInArray) {
        count = merge_in_array(units, count, pairs_, t_.priorities);
    } else if (!LinkedMerger(units, count, pairs_, t_.priorities, scratch.priority).merge(&count)) {
        return false;
    }
    scratch.ids.truncate(to_ids(piece, length, units, count, length));
    return true;
}

}  // namespace crayon
