// Text in which only spaces change, each to a mark such as U+2581: most input of SentencePiece vocabularies. It is copied
// in blocks of 64 bytes, with one row for each block's spaces (rewrites.h).
#pragma once

#include <cstring>

#include "base/integers.h"
#include "normalize/rewrites.h"

namespace crayon {

// Bit i: whether p[i] is a space. Reads p[0, 8).
inline u64 spaces_in_word(const u8* p) {
    constexpr u64 kLow = 0x7F7F7F7F7F7F7F7F;
    u64 bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= 0x2020202020202020;
    const u64 zeros = ~(((bytes & kLow) + kLow) | bytes | kLow);  // the highest bit of each byte
    return (zeros >> 7) * 0x0102040810204080 >> 56;
}

// Groups consecutive equal ranges into rows.
class AlikeRows {
public:
    // `to`: the start of the text that contains them.
    AlikeRows(const AlikeRewrites& each, const Normalizer::Target& to) : each_(each), to_(to) {}

    // Adds one that begins at `offset`, and at `raw_offset` of the raw text. False if memory is short.
    bool add(size_t offset, size_t raw_offset) {
        if (starts_ == 0 || offset - begin_ >= Rewrites::kRowBytes) {
            if (!end()) return false;
            begin_ = offset;
            raw_begin_ = raw_offset;
        }
        starts_ |= u64{1} << (offset - begin_);
        return true;
    }
    // Call before other ranges are added to the list, and at the end.
    bool end();

private:
    const AlikeRewrites each_;
    const Normalizer::Target& to_;
    size_t begin_ = 0, raw_begin_ = 0;
    u64 starts_ = 0;
};

// Four bytes; the mark is the first `length`.
struct SpaceMark {
    u8 bytes[4] = {};
    u32 length = 0;
};

// Writes text[at, end), part of a run that begins at `begin`, to `out`, and returns the end of the output; nullptr if
// memory is short. Normalizer::kRunSlack more bytes must be readable and writable.
u8* put_marked(const u8* text, size_t begin, size_t at, size_t end, const SpaceMark& mark, u8* out, const u8* out_begin,
               AlikeRows& rows);

}  // namespace crayon
