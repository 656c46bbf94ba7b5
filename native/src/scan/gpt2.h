// gpt2 (r50k, p50k):  's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include "crayon/layout/piece_steps.h"
#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

struct Gpt2 {
    static constexpr bool kSymbols = false;

    // The boundaries inside the block, from its masks and the previous state, which always determine them.
    //
    // A run of letters, numbers or others starts a piece unless a blank precedes it: if text follows a whitespace run,
    // the run's last character never belongs to the run's piece, so that blank starts the piece.
    static bool starts(const Block& b, ScanState& state, size_t& confirmed, u64& starts) {
        confirmed = ScanState::kNowhere;
        const Before& before = state.before;
        const u64 letters = b.letters(), space = b.space | b.newline;
        const u64 other = b.valid & ~(letters | b.number | space);
        const u64 after_blank = Block::after(b.blank, before.blank);
        const u64 other_starts = other & ~Block::after(other, before.other) & ~after_blank;
        const bool next_space = !b.ends && b.next >= unicode_16_0::kSpace;
        const u64 last = space & ~b.before(space, next_space | b.ends);
        starts = (letters & ~Block::after(letters, before.word) & ~after_blank) |
                 (b.number & ~Block::after(b.number, before.number) & ~after_blank) | other_starts |
                 (space & ~Block::after(space, before.space)) | b.first_bytes(last) | (state.forced & letters);
        u64 suppressed = state.suppressed, forced = 0, suppressed_next = 0;
        for (u64 rest = other_starts & b.apostrophe; rest; rest &= rest - 1) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            const u32 length = layout::contraction_letters(b.text[i + 1], b.text[i + 2], false);
            if (length == 0) continue;
            mark(b, i + 1, suppressed, suppressed_next);
            u64 start = 0;
            mark(b, i + 1 + length, start, forced);
            starts |= start & letters;
        }
        starts &= ~suppressed;
        state.forced = forced;
        state.suppressed = suppressed_next;
        state.before.word = b.last_bit(letters);
        state.before.number = b.last_bit(b.number);
        state.before.other = b.last_bit(other);
        state.before.space = b.last_bit(space);
        state.before.blank = b.last_bit(b.blank);
        return true;
    }

private:
    // Sets bit i of `in_block`, or the corresponding bit of `after_block` if it is after the block.
    static void mark(const Block& b, u32 i, u64& in_block, u64& after_block) {
        (i < b.length ? in_block : after_block) |= u64{1} << (i < b.length ? i : i - b.length);
    }
};

}  // namespace crayon::CRAYON_KERNEL
