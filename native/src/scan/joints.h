// Where a text can be cut for longest match: between two bytes that no token joins, every token ends.
//
// layout::kJoints has a bit for every pair of bytes, whether a token joins them. That table is too large for looking up
// a block at once, so ASCII bytes on the left side are grouped into eight classes: `left` has the bit of a byte's
// class, and `right` the bits of the classes with a byte that some token joins to this one. Where the two share no bit,
// no token joins the bytes. That finds nineteen cuts in twenty; a missed one makes a piece longer but does not change
// any result.
#pragma once

#include "base/integers.h"

namespace crayon {

struct Joints {
    const u8* table = nullptr;  // layout::kJointBytes
    u32 reach = 0;              // length in bytes of the longest token or the longest character
    alignas(64) u8 left[128] = {};
    alignas(64) u8 right[128] = {};

    Joints() = default;
    Joints(const u8* table, u32 max_token_length);
};

}  // namespace crayon
