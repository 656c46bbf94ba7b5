// Where a text can be cut for longest match: between two bytes that no token joins, every token ends.
//
// layout::kJoints says for every two bytes whether a token joins them. For a block of ASCII that is too much to look up
// at once, so the bytes of ASCII are put into eight classes as what is on the left: `left` has the bit of a byte's
// class, and `right` the classes that have a byte which some token joins to this one. Where the two share no bit,
// nothing is joined. That finds nineteen cuts of twenty; those it misses make a piece longer, and no result different.
#pragma once

#include "base/integers.h"

namespace crayon {

struct Joints {
    const u8* table = nullptr;  // layout::kJointBytes
    u32 reach = 0;              // bytes of the longest token, and of the longest character
    alignas(64) u8 left[128] = {};
    alignas(64) u8 right[128] = {};

    Joints() = default;
    Joints(const u8* table, u32 max_token_length);
};

}  // namespace crayon
