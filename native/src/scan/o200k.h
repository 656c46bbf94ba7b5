// o200k (GPT-4o and later), with A = [\p{Lu}\p{Lt}], B = \p{Ll}, C = [\p{Lm}\p{Lo}\p{M}] and
// suffix = (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   [^\r\n\p{L}\p{N}]?[AC]*[BC]+suffix | [^\r\n\p{L}\p{N}]?[AC]+[BC]*suffix | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+
// tekken (Mistral) is the same without the suffixes, and with \p{N} instead of \p{N}{1,3}.
//
// A word is in its upper-case phase ([AC]*) until the first B and in its lower-case phase ([BC]+) from there on; an A
// ends the lower-case phase and starts a word. A word that never reaches B ends after its last C if it has one ("中A"
// is "中", "A").
#pragma once

#include "crayon/layout/piece_steps.h"
#include "scan/block.h"
#include "scan/digits.h"
#include "scan/newlines.h"

namespace crayon::CRAYON_KERNEL {

struct O200k {
    static constexpr bool kSymbols = false;

    bool contractions, single_numbers;  // tekken: without, with

    // The boundaries inside the block, from its masks and the previous state. False, without changes, if these do not
    // determine them: marks after punctuation (they belong to it or begin a word), trailing capitals after a caseless
    // letter at the block's end, a non-ASCII letter after a contraction.
    [[gnu::always_inline]] bool starts(const Block& b, ScanState& state, size_t& confirmed, u64& starts) const {
        Before& before = state.before;
        const u64 caseless = b.caseless | b.mark;
        const u64 word = b.upper | b.lower | caseless;
        const u64 other = b.valid & ~(word | b.number | b.space | b.newline);
        const u64 after_other = Block::after(other, before.other);
        if (b.mark & after_other) [[unlikely]]
            return false;

        // Words by case.
        const u64 lower_caseless =  // C in the lower-case phase: adding a run's first bit to the run carries through it
            caseless & ~(caseless + (caseless & Block::after(b.lower, before.lower)));
        const u64 lower = b.lower | lower_caseless, open = caseless & ~lower_caseless;
        u64 case_starts = b.upper & Block::after(lower, before.lower);
        for (u64 rest = b.upper & Block::after(open, before.open); rest; rest &= rest - 1) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            const u32 end = i + static_cast<u32>(std::countr_one(b.upper >> i));
            if (end >= b.length) return false;
            if (((b.lower | caseless) >> end & 1) == 0) case_starts |= u64{1} << i;
        }

        // Contractions end the word before them; each word has at most one.
        const u64 after_word = Block::after(word, before.word);
        u64 joined = state.suppressed, joined_next = 0, split = state.forced & word, split_next = 0;
        size_t contraction_end = state.contraction_end;
        for (u64 rest = contractions ? b.apostrophe & after_word : 0; rest; rest &= rest - 1) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            if (b.position + i == contraction_end) continue;
            const u32 length = layout::contraction_letters(b.text[i + 1], b.text[i + 2], true);
            if (length == 0) continue;
            const u32 end = i + 1 + length;
            if (b.text[end] >= 0x80) return false;
            contraction_end = b.position + end;
            const u64 inside = ((u64{2} << length) - 1);  // the apostrophe and its letters, to be shifted to bit i
            joined |= inside << i;
            if (end < b.length) {
                split |= u64{1} << end & word;
            } else {
                split_next |= u64{1} << (end - b.length);
                joined_next |= inside >> (b.length - i);
            }
        }
        state.contraction_end = contraction_end;

        // Newlines and slashes after punctuation.
        const u64 seeds = b.newline & (after_other | before.absorbed);
        u64 absorbed = b.newline & ~(b.newline + seeds);
        if (b.slash & (b.newline << 1 | before.absorbed))
            absorbed = fill(seeds | (b.slash & before.absorbed), b.newline | b.slash);

        const u64 run = other & ~absorbed;
        const u64 run_starts = run & ~Block::after(run, before.run) & ~Block::after(b.blank, before.blank);
        const u64 lone = b.whole_characters(run_starts);
        starts = run_starts | whitespace_starts(b, absorbed, state, confirmed) | number_starts(b, state, single_numbers) |
                 case_starts | (word & ~after_word & ~Block::after(b.space, before.space) & ~Block::after(lone, before.lone));
        starts = (starts & ~joined) | split;

        state.suppressed = joined_next;
        state.forced = split_next;
        before.word = b.last_bit(word);
        before.number = b.last_bit(b.number);
        before.other = b.last_bit(other);
        before.run = b.last_bit(run);
        before.lone = b.last_bit(lone);
        before.lower = b.last_bit(lower);
        before.open = b.last_bit(open);
        carry_whitespace(b, absorbed, before);
        return true;
    }

    size_t step(Walk& walk, size_t i) const {
        const layout::PieceCharacter<Walk> c = walk.at(i);
        return layout::piece_end(walk, i, c, layout::o200k_step(walk, i, c, contractions), single_numbers ? 0u : 2u);
    }

private:
    // `mask` from each seed to the end of its run; several seeds may share a run.
    static u64 fill(u64 seeds, u64 mask) {
        for (int shift = 1; shift < 64; shift *= 2) {
            seeds |= seeds << shift & mask;
            mask &= mask << shift;
        }
        return seeds;
    }
};

}  // namespace crayon::CRAYON_KERNEL
