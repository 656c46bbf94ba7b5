// The whitespace rules of all families but gpt2:  \s*[\r\n]+ | \s+(?!\S) | \s+  with the punctuation rule's [\r\n]*
// (or [\r\n/]*) in front.
//
// Worked example, · a blank, ↵ a newline:   x · · ↵ · ↵ · · · y     pieces:  x | ··↵·↵ | ·· | ·y
// - A whitespace run up to its last newline is one piece, from the start of the run (or from the end of the
//   newlines that punctuation absorbed).
// - The whitespace after the last newline is one piece without its last character, which starts the next piece.
// So the start of a run of non-newline whitespace ("spaces") that follows a newline is a boundary unless a newline ends
// the run. Only this decision of the scan may depend on text any number of blocks ahead; until it is made, it is kept as
// ScanState::candidate.
#pragma once

#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

// Boundaries inside and around whitespace. `absorbed`: newlines (and slashes) that belong to the punctuation before them.
// `confirmed` receives a confirmed candidate of earlier blocks, or kNowhere. `apart`, `next_is_apart`: text invisible to
// whitespace, which treats its start as the end of the text.
inline u64 whitespace_starts(const Block& b, u64 absorbed, ScanState& state, size_t& confirmed, u64 apart = 0,
                             bool next_is_apart = false) {
    using unicode_16_0::Class;
    const Before& before = state.before;
    const u64 after_space = Block::after(b.space, before.space);
    const u64 newline_starts = b.newline & ~absorbed & ~after_space & ~Block::after(b.newline, before.newline);
    const u64 first = b.space & ~after_space;
    u64 undecided = first & Block::after(b.newline & ~absorbed, before.newline & ~before.absorbed);
    const bool next_newline = !b.ends && b.next == Class::kNewline, next_space = !b.ends && b.next == Class::kSpace;
    const u64 last = b.space & ~b.before(b.space | b.newline | apart, next_newline | next_space | b.ends | next_is_apart);

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
        // Adding a run's first bit to the run leaves one bit, right after the run.
        u64 refuted = (b.space + undecided) & ~b.space & b.newline;
        while (refuted) {
            const u64 below = undecided & ((refuted & -refuted) - 1);
            undecided &= ~std::bit_floor(below);
            refuted &= refuted - 1;
        }
        if ((b.space & b.top) && (next_newline || next_space)) {
            const u64 run_start = std::bit_floor(undecided);
            const u64 run = ~(run_start - 1) & b.valid;
            if (run_start && (b.space & run) == run) {  // the block's last run is undecided
                undecided &= ~run_start;
                if (next_space) state.candidate = b.position + static_cast<u32>(std::countr_zero(run_start));
            }
        }
        starts |= undecided;
    }
    return starts;
}

// Stores the whitespace state for the next block.
inline void carry_whitespace(const Block& b, u64 absorbed, Before& before) {
    before.space = b.last_bit(b.space);
    before.blank = b.last_bit(b.blank);
    before.newline = b.last_bit(b.newline);
    before.absorbed = b.last_bit(absorbed);
}

}  // namespace crayon::CRAYON_KERNEL
