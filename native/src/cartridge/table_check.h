// Checks a rule for each element of a long table, at the speed of memory.
//
// A TableCheck is a run of equal elements in the file and the rule for them. `broken` looks at a part of it at a time,
// so that the gate can check the bytes that it has just added to the checksum, while they are in the L1 cache. It does
// not stop at a broken element: it computes one bit over all of them, which compilers turn into vector code. Only if
// that bit is set are the elements checked one by one to find the place.
#pragma once

#include "base/integers.h"
#include "base/status.h"

namespace crayon {

struct TableCheck {
    // Whether one of the elements first…first + count − 1 breaks the rule; `elements` points to the first of them.
    using Broken = bool (*)(TableCheck& check, const u8* elements, u32 first, u32 count);

    Broken broken = nullptr;
    u32 section = 0;
    u32 element_bytes = 1;  // a divisor of 64
    u64 offset = 0;         // in the file, a multiple of element_bytes
    u64 count = 0;
    u32 greatest = 0;        // the greatest valid value of the element, or of the id in it; below 2^31
    u32 greatest_other = 0;  // a second bound, where the rule has one; below 2^31
    bool attained = false;   // token offsets: a token of the greatest length has been seen

    // Checks the part in data[begin, end) of the file, whose ends are multiples of 64 or the end of the file.
    // CORRUPT_STRUCTURE with the first broken element.
    Status run(const u8* data, u64 begin, u64 end);
};

// Each returns the check of one kind of element, without its place.
TableCheck token_end_check(u32 max_token_length, u32 byte_count);  // the offsets from the second on
TableCheck piece8_check(u32 token_count);
TableCheck piece24_check(u32 token_count);
TableCheck piece_long_check(u32 token_count);
TableCheck pair_check(u32 token_count);
TableCheck split_check(u32 token_count);
TableCheck trie_unit_check(u32 unit_count);
TableCheck trie_value_check(u32 token_count);

}  // namespace crayon
