// Safe split points without a pretokenizer: between two bytes that no token joins, every token ends.
//
// For longest match, this holds because a text is cut into tokens. It holds for BPE too, and neither side affects the
// other's merges: each merge makes a token; a merge across the cut would make a token with the two bytes side by side; so
// there is none, at any time. Every merge is then on one side, the possible merges there depend on that side alone, and
// each side's merges happen in the same order as without the other side.
//
// layout::kJoinedBytes (for BPE, BpeView::joined_bytes) has a bit for every pair of bytes: whether a token joins them. That
// table is too large to look up a whole block, so ASCII bytes on the left are grouped into eight classes: `left` has the
// bit of a byte's class, and `right` the bits of all classes with a byte that some token joins to this one. If the two
// share no bit, no token joins the bytes. That finds nineteen cuts in twenty; a missed one makes a piece longer but does
// not change any result.
//
// In many vocabularies the characters of whole scripts are only tokens by themselves: no token joins anything to their
// first bytes, mostly 0xE3 and above.
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "crayon/layout/longest_match.h"

namespace crayon {

struct JoinedBytes {
    const u8* table = nullptr;  // layout::kJoinedBytesLength
    // Length in bytes of the longest token or the longest character; 0 for BPE, where tokens may depend on text farther away.
    u32 reach = 0;
    alignas(64) u8 left[128] = {};
    alignas(64) u8 right[128] = {};
    // First bytes of characters that follow no other byte in any token: the longest range of these, if any.
    bool has_apart = false;
    u8 first_apart = 0, last_apart = 0;

    // Whether there is a safe split point between two bytes, where the scan (unjoined.h) cuts.
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
