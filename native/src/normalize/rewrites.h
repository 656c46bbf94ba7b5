// Which stretches of a text have been rewritten by its normalizer, to go from positions in the text that is encoded to those
// in the raw text and back. Without any, the two are the same.
//
// Positions inside of a rewritten stretch have none in the raw text: text from there on would not be normalized to what
// follows. (Everywhere else it would, as each part of a normalized text is normalized.)
//
// Many texts have a rewritten stretch at each word, all of which are alike, such as a space that is written as U+2581. Those
// within 64 bytes share a row, with a bit for where each begins.
#pragma once

#include <bit>

#include "normalize/normalizer.h"

namespace crayon {

struct Rewrite {
    u64 begin, end;          // in the text that is encoded
    u64 raw_begin, raw_end;  // in the raw text
    u32 units;               // UTF-16 units of the raw stretch
    u32 count;               // its characters
    const Rewritten* characters;
    bool opens;  // it begins a segment, and would be another one elsewhere
};

// What is the same of stretches that are alike. Neither length is 0.
struct AlikeStretches {
    u32 length, raw_length;  // in bytes
    u32 units;               // as in Rewrite
    u32 count;
    const Rewritten* characters;
};

class Rewrites {
    struct Row;

public:
    // The last position of a row that a stretch may begin at.
    static constexpr u32 kRowBytes = 64;

    void restart();
    bool empty() const { return rows_.size() == gone_; }
    // Whether there have been any in this text.
    bool any() const { return any_; }
    [[nodiscard]] bool add(u64 begin, u64 raw_length, u32 units, const Buffer<Rewritten>& characters, bool opens = false);
    // The same for a stretch whose position in the raw text is known.
    [[nodiscard]] bool add_at(u64 begin, u64 raw_begin, u64 raw_length, u32 units, const Rewritten* characters, u32 count,
                              bool opens);
    // Stretches that are alike: bit i of `starts`, which is odd, says that one begins at begin + i. Between them, the text is as
    // it was.
    [[nodiscard]] bool add_alike(u64 begin, u64 raw_begin, u64 starts, const AlikeStretches& each);
    // In a list without such rows: the stretch that ends at `end` now begins in the middle of its raw text, at `raw_begin`, and
    // consists of these characters, or, if there are none, is as in the raw text, `length` bytes. Those before it are not needed
    // any more. False if there is no room: nothing has changed.
    [[nodiscard]] bool cut(u64 end, u64 length, u64 raw_begin, u32 units, const Buffer<Rewritten>& characters);
    // Those that end at `position` or before are not needed any more.
    void drop_before(u64 position);

    bool is_inside(u64 position) const {
        if (empty()) return false;
        const Row* row = row_after(position);
        return row != rows_.end() && row->begin < position && row->begin + row->first_after(position) < position;
    }
    // Whether a stretch begins there that is what it is since a segment begins there.
    bool opens_at(u64 position) const {
        if (empty()) return false;
        const Row* row = row_after(position);
        return row != rows_.end() && row->begin == position && row->opens;
    }
    // The raw text of the stretches of which nothing is left there, in bytes or UTF-16 units.
    u64 removed_at(u64 position, bool in_units) const;
    // Of a position that is not inside; else where the stretch begins.
    u64 raw(u64 position) const;
    // The same; else where the stretch ends.
    u64 raw_end(u64 position) const;
    // The first position that is not inside of which raw() is `raw` or more.
    u64 position_of(u64 raw) const;

    // Stretches, one after the other. Valid as long as none is added.
    class Stretches {
    public:
        // Whether there is another one.
        explicit operator bool() const { return row_ != end_; }
        const Rewrite& operator*() const { return stretch_; }
        const Rewrite* operator->() const { return &stretch_; }
        void next();

    private:
        friend class Rewrites;
        void set();

        const Rewrites* all_ = nullptr;
        const Row *row_ = nullptr, *end_ = nullptr;
        u64 starts_ = 0;  // of the row, from this stretch on
        Rewrite stretch_ = {};
    };
    // From the first that ends after a position on.
    // Cost: constant for a position near the last one that was asked for, else logarithmic.
    Stretches after(u64 position) const;

private:
    struct Row {
        u64 begin, end;
        u64 raw_begin, raw_end;
        u64 starts;              // of the stretches, from `begin` on
        u32 length, raw_length;  // of each
        u32 units;
        u32 first;  // of the characters of each, counted from the beginning of the list
        u32 count;
        bool opens;

        // Of the first stretch that ends after a position that the row does, from `begin` on.
        u32 first_after(u64 position) const;
        // The stretches that begin before an offset, and how much longer these are than they were.
        u64 growth_before(u32 offset) const;
    };
    const Row* row_after(u64 position) const;

    Buffer<Row> rows_;
    Buffer<Rewritten> characters_;
    size_t gone_ = 0;  // of rows_
    u32 gone_characters_ = 0, next_character_ = 0;
    u64 shift_ = 0;  // from a position after those that have been dropped to the raw one; wraps
    bool any_ = false;
    mutable size_t last_ = 0;  // row that was found last; maybe beyond the end by now
};

inline u32 Rewrites::Row::first_after(u64 position) const {
    if (position <= begin || position - begin < length) return 0;
    const u64 offset = position - begin;
    return static_cast<u32>(std::countr_zero(starts >> (offset - length + 1)) + (offset - length + 1));
}

}  // namespace crayon
