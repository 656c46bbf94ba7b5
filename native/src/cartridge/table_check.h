// Checks a rule for each element of a long table, at the speed of memory.
//
// A TableCheck is a run of equal elements in the file and the rule for them. `broken` looks at a part of it at a time,
// so that the validator can check the bytes that it has just added to the checksum, while they are in the L1 cache. It does
// not stop at a broken element: it computes one bit over all of them, with the vectors of a kernel (table_rules.h).
// Only if that bit is set are the elements checked one by one to find the first that is wrong.
#pragma once

#include "base/integers.h"
#include "base/status.h"

namespace crayon {

// What the elements of a table are. A kernel has the rule for each.
enum class TableRule : u8 {
    kTokenEnds,  // the offsets from the second on; `greatest`: of the lengths, `greatest_other`: the bytes
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
    // Whether one of the elements first…first + count − 1 breaks the rule; `elements` points to the first of them, and
    // for token ends the element before it can be read.
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

}  // namespace crayon
