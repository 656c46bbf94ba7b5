// A piece as units that merging may start from: its characters instead of its bytes, where that gives the same.
//
// BPE starts from bytes. In text that is not ASCII the first thing it does, nearly always, is to put each character
// together, and to look characters up instead saves two merges of three. That gives the same encoding if every
// character becomes what it becomes alone before a merge across one of its borders. Take the first merge that comes too
// early for a character: the character has only merged inside, so the merge takes a part of it, its end or its
// beginning, and a token beyond the border. The vocabularies have few tokens that are made so (layout::kCrossings:
// some hundred in o200k). A border is clean if its bytes, the last before it and the first two behind it, are not
// those of such a token. If they are, and both halves of that token lie within the two characters, merging the two
// alone shows whether it comes too early; a token that reaches further may.
#pragma once

#include <span>

#include "base/buffer.h"
#include "model/bpe_pairs.h"

namespace crayon {

// What is kept of characters and borders that have been seen. One thread.
class Characters {
public:
    // The memory comes with the first use; false: there is none.
    bool ready(const BpeView& tables) { return !seams_.empty() || build(tables); }

    // Writes the units of a piece of UTF-8, and returns their number, at most `length`; 0 if only its bytes will do (a
    // merge across a border comes too early, or the piece is ill-formed). `byte_ids`: the tokens of the 256 bytes.
    u32 units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units);

private:
    static constexpr u32 kPlanes = 0x20000, kBorderBits = 10;

    bool build(const BpeView& tables);
    struct Found;
    bool clean(const Found& left, const Found& right, const BpePairs& pairs, const u32* byte_ids);

    // By six bits of each of the two bytes behind a border: bit b is for bytes before it that end in the six bits b, set
    // if a crossing has these three bytes.
    struct Seam {
        u64 near = 0;  // crossings of which each half lies within one character
        u64 far = 0;   // the others
    };
    Buffer<Seam> seams_;
    Buffer<u32> singles_;  // by code point: its token + 1; 0: not seen yet, or several tokens
    Buffer<u64> borders_;  // those tried out: two code points, bit 1: in use, bit 0: not clean
};

}  // namespace crayon
