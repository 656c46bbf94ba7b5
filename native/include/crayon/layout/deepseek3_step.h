// The step of deepseek3 (patterns: native/src/scan/deepseek3.h): finds the end of the piece that begins at an offset, for
// GPU kernels. The engine does not need it: its masks determine every piece.
//
// Beyond the classes of piece_steps.h, it distinguishes symbols from other classless characters, and ideographs and kana
// from everything else. In the tables used with it (native/src/gpu/device_tables.h), symbols have their own class, and
// ideographs and kana have an extra bit in their class.
//
// The first two patterns cut the text into sections, and the third sees nothing outside the piece's section, so every look
// at a character checks that it is in that section.
#pragma once

#include "crayon/layout/piece_steps.h"

namespace crayon::layout {

inline constexpr std::uint32_t kSymbolClass = 8, kIdeographOrKana = 16;

// A character in a section of numbers, of ideographs and kana, or of neither.
template <class Walk>
struct SectionCharacter {
    PieceCharacter<Walk> all;

    CRAYON_KERNEL_CODE explicit SectionCharacter(const PieceCharacter<Walk>& c) : all(c) {}
    CRAYON_KERNEL_CODE std::uint32_t kind() const { return all.kind & (kIdeographOrKana - 1); }
    CRAYON_KERNEL_CODE bool word() const { return kind() >= kUpper && kind() <= kMark; }
    CRAYON_KERNEL_CODE bool symbol() const { return kind() == kSymbolClass; }
    CRAYON_KERNEL_CODE bool whitespace() const { return kind() == kSpace || kind() == kNewline; }
    CRAYON_KERNEL_CODE bool rest() const { return kind() == kOtherClass; }
    CRAYON_KERNEL_CODE bool ascii_letter() const { return all.byte < 0x80 && kind() >= kUpper && kind() <= kLower; }
    CRAYON_KERNEL_CODE bool is_beside(std::uint32_t ideograph_or_kana) const {
        return kind() != kNumber && (all.kind & kIdeographOrKana) == ideograph_or_kana;
    }
};

// The end of the piece that starts at i with the character `first`.
template <class Walk, class Offset = typename Walk::Offset>
CRAYON_KERNEL_CODE Offset deepseek3_step(Walk& walk, Offset i, const PieceCharacter<Walk>& first) {
    const SectionCharacter<Walk> c(first);
    const std::uint32_t section = first.kind & kIdeographOrKana;
    // The end of the run starting at `at`, within the section.
    const auto run = [&](Offset at, auto belongs) {
        return run_end(walk, at, [&](const PieceCharacter<Walk>& each) {
            const SectionCharacter<Walk> character(each);
            return character.is_beside(section) && belongs(character);
        });
    };
    if (c.kind() == kNumber) {  // \p{N}{1,3}
        Offset end = first.end;
        CRAYON_KEEP_LOOP for (std::uint32_t more = 2; more > 0 && walk.has(end); --more) {
            const PieceCharacter<Walk> next = walk.at(end);
            if ((next.kind & (kIdeographOrKana - 1)) != kNumber) break;
            end = next.end;
        }
        return end;
    }
    bool before_word = false, before_symbol = false, before_letter = false;
    if (!c.word() && walk.has(first.end)) {
        const SectionCharacter<Walk> next(walk.at(first.end));
        const bool is_beside = next.is_beside(section);
        before_word = is_beside && next.word();
        before_symbol = is_beside && next.symbol();
        before_letter = is_beside && next.ascii_letter();
    }
    // [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
    if (first.byte < 0x80 && c.symbol() && before_letter) {
        return run(first.end, [](const SectionCharacter<Walk>& each) { return each.ascii_letter(); });
    }
    // [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
    if (c.word() || (before_word && !c.symbol() && c.kind() != kNewline)) {
        return run(first.end, [](const SectionCharacter<Walk>& each) { return each.word(); });
    }
    //  ?[\p{P}\p{S}]+[\r\n]*
    if (c.symbol() || (first.byte == ' ' && before_symbol)) {
        const Offset end = run(first.end, [](const SectionCharacter<Walk>& each) { return each.symbol(); });
        return run(end, [](const SectionCharacter<Walk>& each) { return each.kind() == kNewline; });
    }
    if (c.whitespace()) {  // \s*[\r\n]+ | \s+(?!\S) | \s+
        Offset newline_end = 0, last = i, at = i;
        const Offset end = run(i, [&](const SectionCharacter<Walk>& each) {
            if (!each.whitespace()) return false;
            if (each.kind() == kNewline) newline_end = each.all.end;
            last = at;
            at = each.all.end;
            return true;
        });
        if (newline_end) return newline_end;
        const bool ends_section = !walk.has(end) || !SectionCharacter<Walk>(walk.at(end)).is_beside(section);
        return ends_section || last == i ? end : last;
    }
    // Text that no alternative matches, minus its last character if a word follows.
    Offset last = i, at = i;
    const Offset end = run(i, [&](const SectionCharacter<Walk>& each) {
        if (!each.rest()) return false;
        last = at;
        at = each.all.end;
        return true;
    });
    if (last == i || !walk.has(end)) return end;
    const SectionCharacter<Walk> next(walk.at(end));
    return next.is_beside(section) && next.word() ? last : end;
}

}  // namespace crayon::layout
