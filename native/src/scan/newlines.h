// The whitespace rules that cl100k and o200k share:  \s*[\r\n]+ | \s+(?!\S) | \s+  with the punctuation rule's [\r\n]*
// (or
// [\r\n/]*) in front.
//
// Worked example, · a blank, ↵ a newline:   x · · ↵ · ↵ · · · y     pieces:  x | ··↵·↵ | ·· | ·y
// - A whitespace run up to its last newline is one piece, from the start of the run (or from behind newlines that
//   punctuation absorbed).
// - What follows the last newline is one piece but for its last character, which starts the next piece.
// So a run of non-newline whitespace ("spaces") that follows a newline is a boundary unless a newline ends it: the only
// fact of this scan that can lie any number of blocks ahead. It is carried as ScanState::candidate.
#pragma once

#include "scan/block.h"

namespace crayon::CRAYON_ROW {

// Boundaries inside and around whitespace. `absorbed`: newlines (and slashes) that belong to the punctuation before
// them. A confirmed candidate of earlier blocks is returned in `confirmed`, or kNowhere.
inline u64 whitespace_starts(const Block& b, u64 absorbed, ScanState& state, size_t& confirmed) {
    using unicode_16_0::Class;
    const Before& before = state.before;
    const u64 after_space = Block::behind(b.space, before.space);
    const u64 newline_starts = b.newline & ~absorbed & ~after_space & ~Block::behind(b.newline, before.newline);
    const u64 first = b.space & ~after_space;
    u64 undecided = first & Block::behind(b.newline & ~absorbed, before.newline & ~before.absorbed);
    const bool next_newline = !b.ends && b.next == Class::kNewline, next_space = !b.ends && b.next == Class::kSpace;
    const u64 last = b.space & ~b.ahead_of(b.space | b.newline, next_newline | next_space | b.ends);

    u64 starts = newline_starts | (first & ~undecided) | b.first_bytes(last);

    confirmed = ScanState::kNowhere;
    if (state.candidate != ScanState::kNowhere) [[unlikely]] {
        const u32 run = static_cast<u32>(std::countr_one(b.space));
        const bool refuted = run < b.length ? (b.newline >> run & 1) != 0 : next_newline;
        const bool open = run >= b.length && next_space;
        if (!refuted && !open) confirmed = state.candidate;
        if (!open) state.candidate = ScanState::kNowhere;
    }
    if (undecided) {
        // Adding a run's first bit to the run leaves one bit, just behind the run.
        u64 refuted = (b.space + undecided) & ~b.space & b.newline;
        while (refuted) {
            const u64 below = undecided & ((refuted & -refuted) - 1);
            undecided &= ~std::bit_floor(below);
            refuted &= refuted - 1;
        }
        if ((b.space & b.top) && (next_newline || next_space)) {
            const u64 run_start = std::bit_floor(undecided);
            const u64 run = ~(run_start - 1) & b.valid;
            if (run_start && (b.space & run) == run) {  // the block's last run is an undecided one
                undecided &= ~run_start;
                if (next_space) state.candidate = b.position + static_cast<u32>(std::countr_zero(run_start));
            }
        }
        starts |= undecided;
    }
    return starts;
}

// What a piece of newlines leaves for the next block.
inline void carry_whitespace(const Block& b, u64 absorbed, Before& before) {
    before.space = b.last_bit(b.space);
    before.blank = b.last_bit(b.blank);
    before.newline = b.last_bit(b.newline);
    before.absorbed = b.last_bit(absorbed);
}

}  // namespace crayon::CRAYON_ROW
