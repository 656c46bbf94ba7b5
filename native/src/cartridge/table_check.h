// Checks a rule for each element of a long table, at the speed of memory.
//
// A TableCheck is a run of equal elements in the file and the rule for them. `broken` looks at one part at a time, so that
// the validator can check bytes it has just added to the checksum while they are in the L1 cache. It does not stop at a
// broken element: it computes one bit over all of them, with a kernel's vectors (kernels/checks.h). Only if that bit is set
// are the elements checked one by one to find the first wrong one.
#pragma once

#include "base/integers.h"
#include "base/status.h"

namespace crayon {

// The kinds of table elements. Each kernel has a rule for each.
enum class TableRule : u8 {
    kTokenEnds,  // the offsets from the second on; `greatest`: bound of the lengths, `greatest_other`: the number of bytes
    kPieces8,    // `greatest`, here and below: the last id
    kPieces24,
    kPiecesLong,
    kPairs,
    kSplits,
    kTrieUnits,  // `greatest`: the last unit
    kTrieValues,
};
inline constexpr u32 kTableRules = 8;

struct TableCheck {
    // Whether any of the elements first…first + count − 1 breaks the rule; `elements` points to the first of them. For
    // token ends, the element before it must be readable.
    using Broken = bool (*)(TableCheck& check, const u8* elements, u32 first, u32 count);

    Broken broken = nullptr;
    u32 section = 0;
    u32 element_bytes = 1;  // a divisor of 64
    u64 offset = 0;         // in the file, a multiple of element_bytes
    u64 count = 0;
    u32 greatest = 0;        // the greatest valid value of the element, or of its id; below 2^31
    u32 greatest_other = 0;  // a second bound, for rules that need one; below 2^31
    bool attained = false;   // token offsets: a token of the greatest length was seen

    // Checks the part in data[begin, end) of the file; both ends are multiples of 64 or the end of the file.
    // CORRUPT_STRUCTURE with the first broken element.
    Status run(const u8* data, u64 begin, u64 end);
};

}  // namespace crayon
