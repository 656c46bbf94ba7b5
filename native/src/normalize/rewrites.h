// Records the rewritten ranges of a text, to convert positions between the encoder's input and the raw text. Without
// any, the two are the same.
//
// Positions inside a rewritten range have no raw counterpart: raw text starting there would not normalize to the rest of
// the range. (Everywhere else it would, as each part of a normalized text is normalized.)
//
// Many texts have a rewritten range at each word, all equal, such as a space written as U+2581. Equal ranges within 64
// bytes share a row, with a bit for each start.
#pragma once

#include <bit>

#include "normalize/normalizer.h"

namespace crayon {

struct Rewrite {
    u64 begin, end;          // in the encoder's input
    u64 raw_begin, raw_end;  // in the raw text
    u32 units;               // UTF-16 units of the raw range
    u32 count;               // its characters
    const Rewritten* characters;
    bool opens;  // it opens a segment, and would be different elsewhere
};

// The common data of equal ranges. Neither length is 0.
struct AlikeRewrites {
    u32 length, raw_length;  // in bytes
    u32 units;               // as in Rewrite
    u32 count;
    const Rewritten* characters;
};

class Rewrites {
    struct Row;

public:
    // A range may begin at a position in a row below this.
    static constexpr u32 kRowBytes = 64;

    void restart();
    bool empty() const { return rows_.size() == gone_; }
    // Whether this text has had any.
    bool any() const { return any_; }
    [[nodiscard]] bool add(u64 begin, u64 raw_length, u32 units, const Buffer<Rewritten>& characters, bool opens = false);
    // The same for a range with a known position in the raw text.
    [[nodiscard]] bool add_at(u64 begin, u64 raw_begin, u64 raw_length, u32 units, const Rewritten* characters, u32 count,
                              bool opens);
    // Equal ranges: bit i of `starts`, which is odd, marks one that begins at begin + i. The text between them is unchanged.
    [[nodiscard]] bool add_alike(u64 begin, u64 raw_begin, u64 starts, const AlikeRewrites& each);
    // Ranges that end at or before `position` are no longer needed.
    void drop_before(u64 position);

    bool is_inside(u64 position) const {
        if (empty()) return false;
        const Row* row = row_after(position);
        return row != rows_.end() && row->begin < position && row->begin + row->first_after(position) < position;
    }
    // Whether the range that begins there would be different if it did not open a segment.
    bool opens_at(u64 position) const {
        if (empty()) return false;
        const Row* row = row_after(position);
        return row != rows_.end() && row->begin == position && row->opens;
    }
    // The length of the raw text of ranges that became empty there, in bytes or UTF-16 units.
    u64 removed_at(u64 position, bool in_units) const;
    // The raw position; inside a range, its start.
    u64 raw(u64 position) const;
    // The same, but inside a range, its end.
    u64 raw_end(u64 position) const;
    // The first position outside ranges with raw() at least `raw`.
    u64 position_of(u64 raw) const;

    // Iterates over rewrites. Invalidated when one is added.
    class Iterator {
    public:
        // Whether there is another one.
        explicit operator bool() const { return row_ != end_; }
        const Rewrite& operator*() const { return rewrite_; }
        const Rewrite* operator->() const { return &rewrite_; }
        void next();

    private:
        friend class Rewrites;
        void set();

        const Rewrites* all_ = nullptr;
        const Row *row_ = nullptr, *end_ = nullptr;
        u64 starts_ = 0;  // of the row, from the current range on
        Rewrite rewrite_ = {};
    };
    // From the first range that ends after a position. Cost: constant near the last position queried, else logarithmic.
    Iterator after(u64 position) const;

private:
    struct Row {
        u64 begin, end;
        u64 raw_begin, raw_end;
        u64 starts;              // of the ranges, from `begin` on
        u32 length, raw_length;  // of each
        u32 units;
        u32 first;  // index of each range's characters in the list
        u32 count;
        bool opens;

        // The first range that ends after a position inside the row, relative to `begin`.
        u32 first_after(u64 position) const;
        // How much the ranges that begin before an offset have grown.
        u64 growth_before(u32 offset) const;
    };
    const Row* row_after(u64 position) const;

    Buffer<Row> rows_;
    Buffer<Rewritten> characters_;
    size_t gone_ = 0;  // of rows_
    u32 gone_characters_ = 0, next_character_ = 0;
    u64 shift_ = 0;  // converts a position after the dropped ones to a raw one; wraps
    bool any_ = false;
    mutable size_t last_ = 0;  // the row found last; may be past the end by now
};

inline u32 Rewrites::Row::first_after(u64 position) const {
    if (position <= begin || position - begin < length) return 0;
    const u64 offset = position - begin;
    return static_cast<u32>(std::countr_zero(starts >> (offset - length + 1)) + (offset - length + 1));
}

}  // namespace crayon
