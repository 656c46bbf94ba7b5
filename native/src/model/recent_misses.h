// Remembers the pieces that a full cache recently missed and rejected, by sixteen bits of a hash. A piece that comes again
// is worth keeping, and many of those mean that a larger cache would pay; a text whose pieces never come again evicts
// nothing. A wrong guess costs time or memory, never correctness.
#pragma once

#include "base/integers.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class RecentMisses {
public:
    // Whether this piece was missed before; if not, records it. Remembers about 2^bits pieces, at most 2^kMostBits. Without
    // memory every piece counts as missed before.
    bool knows(u64 hash, u32 bits) {
        if (bits_ == 0 && !make(bits)) return true;
        u16& row = rows()[hash >> (64 - bits_)];
        const bool is_known = row == mark(hash);
        row = is_known ? u16{0} : mark(hash);
        known_ += is_known;
        if (++asked_ >> (bits_ + 1) != 0) count_anew();
        return is_known;
    }
    // How many of the last misses were repeats, over at most twice as many as are remembered.
    u32 known() const { return known_; }
    void count_anew() { asked_ = known_ = 0; }
    // Forgets all pieces and frees the memory.
    void release() {
        ZeroedPages none;
        memory_.swap(none);
        bits_ = 0;
        count_anew();
    }
    // In bytes: two per piece.
    size_t memory() const { return memory_.size(); }

private:
    static constexpr u32 kMostBits = 20;

    u16* rows() const { return static_cast<u16*>(memory_.data()); }
    static u16 mark(u64 hash) { return static_cast<u16>(hash | 1); }
    bool make(u32 bits) {
        const u32 most = bits < kMostBits ? bits : kMostBits;
        if (!memory_.make(sizeof(u16) << most)) return false;
        bits_ = most;
        return true;
    }

    ZeroedPages memory_;
    u32 bits_ = 0, asked_ = 0, known_ = 0;
};

}  // namespace crayon
