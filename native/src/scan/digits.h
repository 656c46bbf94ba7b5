// \p{N}{1,3}: a run of numbers splits into groups of three characters, counted from the start of the run. Or \p{N}: each
// number is a piece (`single`).
#pragma once

#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

inline u64 digit_group_starts(const Block& b, ScanState& state) {
    const u64 number = b.number & b.valid;
    if (number == 0) return 0;
    const u64 after_number = Block::after(number, state.before.number);
    u64 starts = 0;
    if ((number & b.continuation) == 0) {
        u64 groups = number & ~after_number;
        if (state.before.number) {  // the current group, complete after 3 − digits more characters
            const u64 next_group = u64{1} << (3 - state.digits), up_to_it = next_group | (next_group - 1);
            if ((number & up_to_it) == up_to_it) groups |= next_group;
        }
        const u64 four = number & number << 1 & number << 2 & number << 3;  // a complete group, and the run continues
        starts = groups;
        while ((groups = groups << 3 & four) != 0) starts |= groups;
        if (number & b.top) {
            state.digits = starts ? b.length - static_cast<u32>(std::bit_width(starts)) + 1 : state.digits + b.length;
        }
    } else {
        for (u64 rest = number & ~b.continuation; rest; rest &= rest - 1) {
            const u64 bit = rest & -rest;
            if ((after_number & bit) == 0 || state.digits == 3) {
                starts |= bit;
                state.digits = 0;
            }
            ++state.digits;
        }
    }
    return starts;
}

inline u64 number_starts(const Block& b, ScanState& state, bool single) {
    return single ? b.number & ~b.continuation : digit_group_starts(b, state);
}

}  // namespace crayon::CRAYON_KERNEL
