// Safe split points without a pretokenizer: between two bytes that no token joins, every token ends.
//
// For longest match that is so because tokens are all that a text is cut into. For BPE too, and what is on one side does
// not change what the other side merges to: each merge makes a token; one over the cut would make a token in which the two
// bytes are side by side; so there is none, at any time. Every merge is then on one side, what may merge there depends on
// that side alone, and of all merges those of one side happen in the order in which they would without the other.
//
// layout::kJoinedBytes (for BPE, BpeView::joined_bytes) has a bit for every pair of bytes, whether a token joins them. That table
// is too large for looking up a block at once, so ASCII bytes on the left side are grouped into eight classes: `left` has the bit
// of a byte's class, and `right` the bits of the classes with a byte that some token joins to this one. Where the two share no
// bit, no token joins the bytes. That finds nineteen cuts in twenty; a missed one makes a piece longer but does not change any
// result.
//
// Many vocabularies have the characters of whole scripts as tokens by themselves alone: no token joins anything to what these
// begin with, mostly 0xE3 and what follows.
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "crayon/layout/longest_match.h"

namespace crayon {

struct JoinedBytes {
    const u8* table = nullptr;  // layout::kJoinedBytesLength
    // Length in bytes of the longest token or the longest character; 0 for BPE, where tokens may depend on text that is
    // farther away.
    u32 reach = 0;
    alignas(64) u8 left[128] = {};
    alignas(64) u8 right[128] = {};
    // First bytes of characters that no token has after another byte: the longest range of these, if there are any.
    bool has_apart = false;
    u8 first_apart = 0, last_apart = 0;

    // Whether a safe split point is between two bytes, at which the scan (unjoined.h) cuts.
    bool splits_between(u8 a, u8 b) const {
        if ((a | b) < 0x80) return (left[a] & right[b]) == 0;
        return !is_continuation(b) && !layout::is_joined(table, a, b);
    }

    JoinedBytes() = default;
    JoinedBytes(const u8* table, u32 reach);

private:
    void find_apart();
};

}  // namespace crayon
