// BPE by its definition on a text of any length: as long as any adjacent pair merges, merge the pair of the lowest rank, the
// leftmost of equals. The parts are linked, and a heap has the ranks of adjacent ones: n log n.
#pragma once

#include "base/buffer.h"
#include "base/least_heap.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

// `Pairs` says what merges:
//   bool rank(u32 left, u32 right, u32 begin, u32* rank)   of two adjacent parts, of which the left one begins there; kNone if
//                                                          they do not merge. False if memory is short
//   u32 merged(u32 rank)                                   the id that the pair of a rank becomes
//   u32 priority(u32 rank)                                 the lowest merges first, the leftmost of equals; mostly the rank
template <class Pairs>
class HeapMerger {
public:
    HeapMerger() = default;
    template <class... Arguments>
    explicit HeapMerger(const Arguments&... arguments) : pairs_{arguments...} {}
    Pairs& pairs() { return pairs_; }

    // Merges `length` units, whose ids id_of(i) says. visit(rank, left, right, parts) is told of each merge before it is made,
    // with the number of parts that will be left; false ends merging. False if memory is short.
    template <class IdOf, class Visit>
    bool merge(u32 length, const IdOf& id_of, const Visit& visit) {
        length_ = length;
        // A merge adds two ranks at most.
        if (!parts_.resize(length) || !heap_.reserve(3 * size_t{length})) return false;
        for (u32 i = 0; i < length; ++i) parts_[i] = {id_of(i), layout::kNone, i - 1, i + 1};
        heap_.clear();
        for (u32 i = 0; i + 1 < length; ++i) {
            if (!rank(i)) return false;
        }
        for (u32 count = length; !heap_.empty();) {
            const u64 lowest = heap_.take();
            const u32 at = static_cast<u32>(lowest), priority = static_cast<u32>(lowest >> 32);
            Part& part = parts_[at];
            const u32 pair = part.rank;
            if (pair == layout::kNone || pairs_.priority(pair) != priority) continue;  // outdated
            Part& gone = parts_[part.next];
            if (!visit(pair, part.id, gone.id, --count)) break;
            part.id = pairs_.merged(pair);
            gone.rank = layout::kNone;
            part.next = gone.next;
            if (part.next < length) parts_[part.next].previous = at;
            if (at > 0 && !rank(part.previous)) return false;
            if (!rank(at)) return false;
        }
        return true;
    }

    // The ids that are left; returns their number.
    u32 take(u32* ids) const {
        u32 count = 0;
        for (u32 at = 0; at < length_; at = parts_[at].next) ids[count++] = parts_[at].id;
        return count;
    }

private:
    struct Part {
        u32 id;
        u32 rank;            // of it and the next one together
        u32 previous, next;  // where they begin
    };

    bool rank(u32 at) {
        Part& part = parts_[at];
        part.rank = layout::kNone;
        if (part.next == length_) return true;
        if (!pairs_.rank(part.id, parts_[part.next].id, at, &part.rank)) return false;
        return part.rank == layout::kNone || heap_.add(u64{pairs_.priority(part.rank)} << 32 | at);
    }

    Pairs pairs_;
    u32 length_ = 0;
    Buffer<Part> parts_;
    LeastHeap heap_;  // priority, part
};

}  // namespace crayon
