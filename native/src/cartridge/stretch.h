// The rules that hold for each element of a long table, in a form that is checked at the speed of memory.
//
// A Stretch is a run of equal elements in the file and the rule for them. `broken` looks at a part of it at a time, so
// that the gate can check the bytes it has just put through the checksum, while they are in the first cache. It does
// not stop at a broken element: it gathers one bit over all of them, which compilers turn into vector code. Only when
// that bit is set is it asked again, element by element, to name the place.
#pragma once

#include "base/integers.h"
#include "base/status.h"

namespace crayon {

struct Stretch {
    // Whether the rule is broken by one of the elements first…first + count − 1; `elements` points at the first of
    // them.
    using Broken = bool (*)(Stretch& stretch, const u8* elements, u32 first, u32 count);

    Broken broken = nullptr;
    u32 section = 0;
    u32 element_bytes = 1;  // a divisor of 64
    u64 offset = 0;         // in the file, a multiple of element_bytes
    u64 count = 0;
    u32 greatest = 0;        // what the element, or the id in it, may be at most; below 2^31
    u32 greatest_other = 0;  // a second bound, where the rule has one; below 2^31
    bool attained = false;   // token offsets: a token of the greatest length has been seen

    // Checks the part that lies in data[begin, end) of the file, whose borders are multiples of 64 or the file's own.
    // CORRUPT_STRUCTURE with the first broken element.
    Status check(const u8* data, u64 begin, u64 end);
};

// Each returns the rule for one kind of element, without its place.
Stretch token_end_rule(u32 max_token_length, u32 byte_count);  // the offsets from the second on
Stretch piece8_rule(u32 token_count);
Stretch piece24_rule(u32 token_count);
Stretch piece_long_rule(u32 token_count);
Stretch pair_rule(u32 token_count);
Stretch split_rule(u32 token_count);
Stretch trie_unit_rule(u32 unit_count);
Stretch trie_value_rule(u32 token_count);

}  // namespace crayon
