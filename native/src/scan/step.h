// Walks a text character by character, for the exact step(i) → next boundary of each family: a direct implementation of
// its pattern, used where the masks do not determine a block.
#pragma once

#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

inline constexpr size_t kNeedMoreText = ~size_t{0};

// The characters of a text that may continue after `size` (unless `last`).
struct Walk {
    const u8* text;
    size_t size;
    bool last;

    struct At {
        size_t begin, end;
        unicode_16_0::Class kind;
        u8 byte;  // the first one

        bool letter() const { return kind >= unicode_16_0::kUpper && kind <= unicode_16_0::kCaseless; }
        bool mark() const { return kind == unicode_16_0::kMark; }
        bool number() const { return kind == unicode_16_0::kNumber; }
        bool newline() const { return kind == unicode_16_0::kNewline; }
        bool whitespace() const { return kind >= unicode_16_0::kSpace; }
    };

    // Whether a character (and a contraction) can be read at i; if not, the text ends there or more of it is needed.
    bool readable(size_t i) const { return last ? i < size : i + 4 <= size; }
    At at(size_t i) const {
        const Character c = decode_character(text + i);
        return {i, i + c.length, unicode_16_0::class_of(c.code_point), text[i]};
    }
    // Sets `end` to the end of the run of characters from i that belong; false if it may continue in text that follows.
    template <class Belongs>
    bool run(size_t i, Belongs belongs, size_t& end) const {
        while (readable(i)) {
            const At c = at(i);
            if (!belongs(c)) break;
            i = c.end;
        }
        end = i;
        return last || i + 4 <= size;
    }
};

// \s*[\r\n]+ | \s+(?!\S) | \s+  at a whitespace character (with newlines), or \s+(?!\S) | \s+ (without).
template <bool kNewlines>
inline size_t whitespace_end(const Walk& walk, size_t i) {
    size_t newline_end = 0, last_begin = i, end = i;
    const bool complete = walk.run(
        i,
        [&](const Walk::At& c) {
            if (!c.whitespace()) return false;
            if (c.newline()) newline_end = c.end;
            last_begin = c.begin;
            return true;
        },
        end);
    if (!complete) return kNeedMoreText;
    if (kNewlines && newline_end) return newline_end;
    return end == walk.size || last_begin == i ? end : last_begin;
}

}  // namespace crayon::CRAYON_KERNEL
