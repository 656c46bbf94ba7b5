// The distinct pieces of the corpus as sequences of tokens, in one array.
//
// Each byte of a piece has a place, and a place between pieces holds kEnd. A token is at the place of its first byte,
// with kFirst, and at that of its last byte, so that the next token and the one before are found from the lengths of
// tokens. The places between are never read as tokens: they lack kFirst.
//
//      place   0     1   2   3   4   5     6
//              kEnd  th      e   r   e     kEnd       "there" as th, e, r, e: the mark kFirst is on 1, 3, 4, 5
//
// Pieces are ordered by how often they occur, so that places with the same weight are one range.
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

    // Places from `begin` up to the next range, in pieces that occur `count` times.
    struct Range {
        u32 begin;
        u64 count;
    };

    // Makes place for pieces of so many bytes in total.
    Status reserve(u64 pieces, u64 bytes);
    // Appends a piece; counts never increase from one to the next. There is room for it.
    [[nodiscard]] bool append(const u8* bytes, u32 length, u64 count, const u32 ids[256]);

    u32 size() const { return size_; }  // places
    u64 pieces() const { return pieces_; }
    const Buffer<Range>& ranges() const { return ranges_; }
    u32 at(u32 place) const { return places()[place]; }
    const u32* places() const { return static_cast<const u32*>(pages_.data()); }
    u32* places() { return static_cast<u32*>(pages_.data()); }

    // Which range a place is in, for ascending places.
    class Weights {
    public:
        Weights(const Sequences& sequences, u32 first_place) : ranges_(sequences.ranges_) {
            range_ = static_cast<u32>(std::upper_bound(ranges_.begin(), ranges_.end(), first_place,
                                                       [](u32 place, const Range& range) { return place < range.begin; }) -
                                      ranges_.begin()) - 1;
            end_ = end_of(range_);
        }
        u32 range_of(u32 place) {
            while (place >= end_) end_ = end_of(++range_);
            return range_;
        }
        u64 of(u32 place) { return ranges_[range_of(place)].count; }

    private:
        u32 end_of(u32 range) const { return range + 1 < ranges_.size() ? ranges_[range + 1].begin : kEnd; }

        const Buffer<Range>& ranges_;
        u32 range_;
        u32 end_;
    };

private:
    ZeroedPages pages_;
    u32 size_ = 0;
    u64 pieces_ = 0;
    Buffer<Range> ranges_;
};

}  // namespace crayon::train
