// The tokens of a long piece of text, kept from one part of the text to the next (fit.h): parts that overlap have most
// of their tokens in common, and the text may be a single piece.
//
// Invariant: any of the tokens that are next to each other, with no others between, are the encoding of their bytes, as
// long as those are one piece. For BPE: a sequence of tokens is an encoding if every adjacent pair is
// (model/backtracking.h). For longest match: at each of them it is the longest token, and stays so if the text is cut
// at the end of a token.
//
// It knows its text by the bytes, not by where they are, so that no caller has to say that a text has changed.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon {

struct LongPiece {
    Buffer<u8> text;   // and kScanPadding more bytes
    Buffer<u32> ends;  // of the tokens, in `text`
    u32 place = 0;     // where the next part is expected to begin
    u32 token = 0;     // the first one that ends after the place
    u32 debt = 0;  // bytes encoded to keep them that have not paid off yet
    bool aligned = false;  // it begins at the place
    bool cut_anywhere = false;  // every part of the text is one piece

    void clear() {
        text = Buffer<u8>();
        ends = Buffer<u32>();
        debt = 0;
    }
};

}  // namespace crayon
