// The distinct pieces of the corpus as token sequences, in one array.
//
// Each byte of a piece has a position, and a position between pieces holds kEnd. A token is stored at the position of its
// first byte, with kFirst, and of its last byte, so that token lengths lead to the next and the previous token. The
// positions between are never read as tokens: they lack kFirst.
//
//   position   0     1   2   3   4   5     6
//              kEnd  th      e   r   e     kEnd       "there" as th, e, r, e: the mark kFirst is on 1, 3, 4, 5
//
// Pieces are ordered by frequency, so that positions with the same weight form one range.
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "platform/prefetch.h"
#include "platform/zeroed_pages.h"
#include "train/token_table.h"

namespace crayon::train {

struct Pair {
    u32 left, right;
};

class Sequences {
public:
    static constexpr u32 kEnd = 0xFFFFFFFF;
    static constexpr u32 kFirst = 0x80000000;
    static constexpr u32 kNone = kEnd & ~kFirst;  // no neighbour

    // Positions from `begin` to the next range, in pieces that occur `count` times.
    struct Range {
        u32 begin;
        u64 count;
    };

    // Makes room for pieces of `bytes` bytes in total.
    Status reserve(u64 pieces, u64 bytes);
    // Appends a piece; counts must never increase from one to the next. There must be room for it.
    [[nodiscard]] bool append(const u8* bytes, u32 length, u64 count, const u32 ids[256]);

    u32 size() const { return size_; }  // positions
    u64 pieces() const { return pieces_; }
    u32 range_count() const { return static_cast<u32>(ranges_.size()) - 1; }
    const Range& range(u32 index) const { return ranges_[index]; }  // a sentinel after the last begins at size()
    u32 at(u32 position) const { return positions()[position]; }
    // Zeros follow the last one, as many as the longest possible token.
    const u32* positions() const { return static_cast<const u32*>(pages_.data()); }
    u32* positions() { return static_cast<u32*>(pages_.data()); }

    // Must be called once all pieces are added.
    [[nodiscard]] bool index_ranges();

    // Looks up the range of a position; fast if it is often the range of the previous position.
    class Weights {
    public:
        explicit Weights(const Sequences& sequences) : sequences_(sequences) {}
        u32 range_of(u32 position) {
            if (position - begin_ >= length_) find(position);
            return range_;
        }
        u64 of(u32 position) {
            if (position - begin_ >= length_) find(position);
            return weight_;
        }

    private:
        void find(u32 position) {
            const Range* const ranges = sequences_.ranges_.data();
            const u32* const first = sequences_.first_range_.data() + (position >> kIndexBits);
            range_ = static_cast<u32>(std::upper_bound(ranges + first[0] + 1, ranges + first[1] + 1, position,
                                                       [](u32 at, const Range& range) { return at < range.begin; }) -
                                      ranges) -
                     1;
            begin_ = ranges[range_].begin;
            length_ = ranges[range_ + 1].begin - begin_;
            weight_ = ranges[range_].count;
        }

        const Sequences& sequences_;
        u32 begin_ = 0, length_ = 0;  // of the last range
        u32 range_ = 0;
        u64 weight_ = 0;
    };

private:
    ZeroedPages pages_;
    u32 size_ = 0;
    u64 pieces_ = 0;
    Buffer<Range> ranges_;  // plus a sentinel
    // By the high bits of a position: the range of the first position with these bits.
    static constexpr u32 kIndexBits = 12;
    Buffer<u32> first_range_;
};

}  // namespace crayon::train
