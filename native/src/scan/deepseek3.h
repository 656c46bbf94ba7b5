// deepseek3 (DeepSeek-V3, R1): three patterns, each splitting the pieces of the previous one as separate texts. Text that a
// pattern does not match stays a piece.
//   \p{N}{1,3}
//   [一-龥\u3040-ゟ゠-ヿ]+
//   [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+ | [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+ | ?[\p{P}\p{S}]+[\r\n]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+
//
// The first two cut the text into *sections*: groups of numbers, ideographs and kana, everything else. The third sees
// nothing outside its section: in "a  1" the blanks are one piece, since the section ends there. It leaves a group of
// numbers whole, as it matches none of it.
//
// So only the third remains to be scanned. A *word* is a run of letters and marks. Characters that are not words, symbols,
// numbers or whitespace (the *rest*: controls, unassigned characters) match only before a word; otherwise a run of them is
// a piece, without the last one if a word follows.
//
// The end of a piece is the whole state, as in the other families: no later pattern cuts a number from a group, and
// ideographs and kana match from any position as they do from the first one.
#pragma once

#include "scan/digits.h"
#include "scan/newlines.h"

namespace crayon::CRAYON_KERNEL {

struct Deepseek3 {
    static constexpr bool kSymbols = true;

    // The boundaries inside the block, from its masks and the previous state, which always determine them.
    static bool starts(const Block& b, ScanState& state, size_t& confirmed, u64& starts) {
        Before& before = state.before;
        const u64 word = b.letters() | b.mark, symbol = b.symbol;
        const u64 rest = b.valid & ~(word | symbol | b.number | b.space | b.newline);
        const u64 sections =
            b.valid & ((b.number ^ Block::after(b.number, before.number)) | (b.cjk ^ Block::after(b.cjk, before.cjk)));

        const u64 after_symbol = Block::after(symbol, before.other) & ~sections;
        const u64 symbol_starts = symbol & (sections | ~(after_symbol | Block::after(b.blank, before.blank)));
        // Adding a newline run's first bit to the run carries through it.
        const u64 absorbed = b.newline & ~(b.newline + (b.newline & (after_symbol | before.absorbed)));

        // ASCII letters join the ASCII symbol that begins a piece before them, other letters after them do not. Here, too,
        // a sum carries through the run, to the position after it.
        const u64 ascii_letters = b.letters() & b.ascii, lone = symbol_starts & b.ascii;
        const u64 joining = ascii_letters & (Block::after(lone, before.lone) | before.joined);
        const u64 beyond = ascii_letters + joining;
        const u64 left = word & ~ascii_letters & (beyond | before.joined);

        const u64 after_piece =  // where a word continues the piece before it
            Block::after(word, before.word) | Block::after(b.space, before.space) | Block::after(rest, before.rest) | joining;
        const bool next_goes_on = !b.ends && b.next >= unicode_16_0::kUpper && b.next <= unicode_16_0::kMark &&
                                  b.next_is_cjk == (b.last_bit(b.cjk) != 0);
        const u64 before_word = rest & b.before(word & ~sections, next_goes_on);
        const bool next_is_apart = !b.ends && (b.next == unicode_16_0::kNumber || b.next_is_cjk);

        starts = sections | symbol_starts | left | (word & ~after_piece) | (rest & ~Block::after(rest, before.rest)) |
                 b.first_bytes(before_word) | whitespace_starts(b, absorbed, state, confirmed, b.number | b.cjk, next_is_apart) |
                 digit_group_starts(b, state);

        before.word = b.last_bit(word);
        before.number = b.last_bit(b.number);
        before.other = b.last_bit(symbol);
        before.lone = b.last_bit(lone);
        before.cjk = b.last_bit(b.cjk);
        before.rest = b.last_bit(rest);
        before.joined = b.last_bit(ascii_letters & ~beyond);
        carry_whitespace(b, absorbed, before);
        return true;
    }
};

}  // namespace crayon::CRAYON_KERNEL
