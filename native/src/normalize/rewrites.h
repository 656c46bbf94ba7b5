// Which stretches of a text have been rewritten by its normalizer, to go from positions in the text that is encoded to those
// in the raw text and back. Without any, the two are the same.
//
// Positions inside of a rewritten stretch have none in the raw text: text from there on would not be normalized to what
// follows. (Everywhere else it would, as each part of a normalized text is normalized.)
#pragma once

#include "normalize/normalizer.h"

namespace crayon {

struct Rewrite {
    u64 begin, end;          // in the text that is encoded
    u64 raw_begin, raw_end;  // in the raw text
    u32 units;               // UTF-16 units of the raw stretch
    u32 first;               // its characters, the first of which counts from the beginning of the list
    u32 count;
    bool opens;  // it begins a segment, and would be another one elsewhere
};

class Rewrites {
public:
    void restart();
    bool empty() const { return rows_.size() == gone_; }
    // Whether there have been any in this text.
    bool any() const { return any_; }
    [[nodiscard]] bool add(u64 begin, u64 raw_length, u32 units, const Buffer<Rewritten>& characters, bool opens = false);
    // The same for a stretch whose position in the raw text is known.
    [[nodiscard]] bool add_at(u64 begin, u64 raw_begin, u64 raw_length, u32 units, const Rewritten* characters, u32 count,
                              bool opens);
    // The stretch that ends at `end` now begins in the middle of its raw text, at `raw_begin`, and consists of these
    // characters, or, if there are none, is as in the raw text, `length` bytes. Those before it are not needed any more. False
    // if there is no room: nothing has changed.
    [[nodiscard]] bool cut(u64 end, u64 length, u64 raw_begin, u32 units, const Buffer<Rewritten>& characters);
    // Those that end at `position` or before are not needed any more.
    void drop_before(u64 position);

    bool is_inside(u64 position) const {
        if (empty()) return false;
        const Rewrite* row = after(position);
        return row != rows_.end() && row->begin < position;
    }
    // Whether a stretch begins there that is what it is since a segment begins there.
    bool opens_at(u64 position) const {
        if (empty()) return false;
        const Rewrite* row = after(position);
        return row != rows_.end() && row->begin == position && row->opens;
    }
    // The raw text of the stretches of which nothing is left there, in bytes or UTF-16 units.
    u64 removed_at(u64 position, bool in_units) const;
    // The first of positions[0, count), ascending from `offset` on, that is inside; count if none is.
    u32 first_inside(u64 offset, const u32* positions, u32 count) const;
    // Of a position that is not inside; else where the stretch begins.
    u64 raw(u64 position) const;
    // The same; else where the stretch ends.
    u64 raw_end(u64 position) const;
    // The first position that is not inside of which raw() is `raw` or more.
    u64 position_of(u64 raw) const;

    // The first that ends after a position, and the end of all.
    // Cost: constant for a position near the last one that was asked for, else logarithmic.
    const Rewrite* after(u64 position) const;
    const Rewrite* end() const { return rows_.end(); }
    const Rewritten* characters(const Rewrite& row) const { return characters_.data() + (row.first - gone_characters_); }

private:
    Buffer<Rewrite> rows_;
    Buffer<Rewritten> characters_;
    size_t gone_ = 0;  // of rows_
    u32 gone_characters_ = 0, next_character_ = 0;
    u64 shift_ = 0;  // from a position after those that have been dropped to the raw one; wraps
    bool any_ = false;
    mutable size_t last_ = 0;  // row that was found last; maybe beyond the end by now
};

}  // namespace crayon
