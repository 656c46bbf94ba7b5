// cl100k (GPT-3.5, GPT-4; Llama 3):
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// qwen2 (Qwen 2, 2.5 and 3) is the same with \p{N} instead of \p{N}{1,3}: each number is a piece.
#pragma once

#include "crayon/layout/piece_steps.h"
#include "scan/digits.h"
#include "scan/newlines.h"

namespace crayon::CRAYON_KERNEL {

struct Cl100k {
    static constexpr bool kSymbols = false;

    bool single_numbers;  // qwen2

    // The boundaries inside the block, from its masks and the previous state, which always determine them. `other` is
    // everything that is not a letter, number or whitespace; a run of these starts a piece unless a blank precedes it.
    // Letters start a piece unless they follow a space (the last one of a run always starts the piece) or an `other` that
    // started one.
    bool starts(const Block& b, ScanState& state, size_t& confirmed, u64& starts) const {
        Before& before = state.before;
        const u64 letters = b.letters();
        const u64 other = b.valid & ~(letters | b.number | b.space | b.newline);
        const u64 after_other = Block::after(other, before.other);
        // Adding a newline run's first bit to the run carries through it.
        const u64 absorbed = b.newline & ~(b.newline + (b.newline & (after_other | before.absorbed)));
        const u64 other_starts = other & ~after_other & ~Block::after(b.blank, before.blank);
        const u64 lone = b.whole_characters(other_starts);
        starts = other_starts | whitespace_starts(b, absorbed, state, confirmed) | number_starts(b, state, single_numbers) |
                 (letters & ~Block::after(letters, before.word) & ~Block::after(b.space, before.space) &
                  ~Block::after(lone, before.lone)) |
                 (state.forced & letters);
        state.forced = 0;
        for (u64 rest = other_starts & b.apostrophe; rest; rest &= rest - 1) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            const u32 length = layout::contraction_letters(b.text[i + 1], b.text[i + 2], true);
            if (length == 0) continue;
            const u32 end = i + 1 + length;
            if (end < b.length) {
                starts |= u64{1} << end & letters;
            } else {
                state.forced |= u64{1} << (end - b.length);
            }
        }
        before.word = b.last_bit(letters);
        before.number = b.last_bit(b.number);
        before.other = b.last_bit(other);
        before.lone = b.last_bit(lone);
        carry_whitespace(b, absorbed, before);
        return true;
    }
};

}  // namespace crayon::CRAYON_KERNEL
