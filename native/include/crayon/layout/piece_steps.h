// The step of a pretokenizer: finds the end of the piece that begins at an offset, for the patterns of o200k and tekken
// (pretokenizers.def). The engine uses it in blocks that its masks do not determine (native/src/scan/o200k.h). It mirrors
// the patterns as written. Text before the offset does not matter: no pattern has a lookbehind.
//
// A step has two parts: o200k_step finds the end of a word or names the rule by which the piece continues; piece_end
// implements the rules.
//
// A Walk is the text as far as one step may see it:
//   Offset        an unsigned integer, for bytes in the text
//   at(i)         the character at i, a PieceCharacter<Walk>
//   byte(i)       the byte at i; zero from the end of the text on
//   ends_at(i)    whether the text ends there
//   has(i)        whether there is text at i to look at
//   stops_at(i)   whether a run of characters that reaches i ends there, regardless of the text after it
// If a walk answers this way although the text continues, or may continue, it must remember that: the step's result is then
// not an end.
// A step calls `has` before it looks at any character but the first. The three bytes after such an offset can be read with
// `byte`, for contractions.
#pragma once

#include <cstdint>

#include "crayon/layout/kernel_code.h"

namespace crayon::layout {

// English contractions, (?i:'s|'t|'re|'ve|'m|'ll|'d) and gpt2's form without (?i).

// Length in bytes of a contraction's letters right after an apostrophe; `first` and `second` are the first two bytes there.
// 0 if there is no contraction. Ignoring case, U+017F (ſ, bytes C5 BF) matches s as well.
constexpr std::uint32_t contraction_letters(std::uint32_t first, std::uint32_t second, bool ignores_case) {
    const std::uint32_t fold = ignores_case ? 0x20 : 0;
    switch (first | fold) {
        case 's':
        case 't':
        case 'm':
        case 'd':
            return 1;
        case 'r':
        case 'v':
            return (second | fold) == 'e' ? 2 : 0;
        case 'l':
            return (second | fold) == 'l' ? 2 : 0;
        default:
            return ignores_case && first == 0xC5 && second == 0xBF ? 2 : 0;
    }
}

// Character classes, as in native/src/scan/unicode_16_0.h.
enum CharacterClass : std::uint32_t { kOtherClass, kUpper, kLower, kCaseless, kMark, kNumber, kSpace, kNewline };

// (A template per walk: kernels for different instruction sets must not share a function.)
template <class Walk>
struct PieceCharacter {
    std::uint32_t byte, kind;  // its first byte, its class
    typename Walk::Offset end;

    CRAYON_KERNEL_CODE bool letter() const { return kind >= kUpper && kind <= kCaseless; }
    CRAYON_KERNEL_CODE bool word() const { return kind >= kUpper && kind <= kMark; }
    CRAYON_KERNEL_CODE bool caseless() const { return kind == kCaseless || kind == kMark; }
    CRAYON_KERNEL_CODE bool whitespace() const { return kind >= kSpace; }
    CRAYON_KERNEL_CODE bool other() const { return kind == kOtherClass || kind == kMark; }
};

// The end of the run of characters from i that satisfy the predicate.
template <class Walk, class Offset, class Belongs>
CRAYON_KERNEL_CODE Offset run_end(Walk& walk, Offset i, Belongs belongs) {
    while (walk.has(i)) {
        const PieceCharacter<Walk> c = walk.at(i);
        if (!belongs(c)) break;
        i = c.end;
        if (walk.stops_at(i)) break;
    }
    return i;
}

// Length in bytes of a contraction's letters right after its apostrophe; 0 if there is no contraction.
template <class Walk, class Offset>
CRAYON_KERNEL_CODE std::uint32_t contraction_at(const Walk& walk, Offset i, bool ignores_case) {
    return contraction_letters(walk.byte(i), walk.byte(i + 1), ignores_case);
}

// Returned in place of an end: the piece continues by this rule of piece_end.
template <class Offset>
inline constexpr Offset kNumberRule = ~Offset{0};
template <class Offset>
inline constexpr Offset kWhitespaceRule = kNumberRule<Offset> - 1;
template <class Offset>
inline constexpr Offset kOtherRule = kNumberRule<Offset> - 2;

// [AC]*[BC]+ (with_lower) or [AC]+[BC]* from i, with A = [\p{Lu}\p{Lt}], B = \p{Ll}, C = [\p{Lm}\p{Lo}\p{M}], and the
// suffix (?i:'s|'t|'re|'ve|'m|'ll|'d)? (has_suffixes); 0 if there is no match.
template <class Walk, class Offset>
CRAYON_KERNEL_CODE Offset word_by_case_end(Walk& walk, Offset i, bool with_lower, bool has_suffixes) {
    Offset caseless_end = 0;
    const Offset upper_end = run_end(walk, i, [&](const PieceCharacter<Walk>& c) {
        if (c.caseless()) caseless_end = c.end;
        return c.kind == kUpper || c.caseless();
    });
    Offset end = run_end(walk, upper_end, [](const PieceCharacter<Walk>& c) { return c.kind == kLower || c.caseless(); });
    if (with_lower && end == upper_end) end = caseless_end;
    if (end == 0 || end == i) return 0;
    if (has_suffixes && walk.has(end) && walk.byte(end) == '\'') {
        if (const std::uint32_t length = contraction_at(walk, end + 1, true)) end += 1 + length;
    }
    return end;
}

// o200k, and without suffixes tekken:  [^\r\n\p{L}\p{N}]?[AC]*[BC]+suffix | [^\r\n\p{L}\p{N}]?[AC]+[BC]*suffix
template <class Walk, class Offset>
CRAYON_KERNEL_CODE Offset o200k_step(Walk& walk, Offset i, const PieceCharacter<Walk>& c, bool has_suffixes) {
    if (c.kind == kNumber) return kNumberRule<Offset>;
    bool is_other = c.other();
    if (c.kind != kNewline) {
        Offset prefixed = 0;
        if (!c.letter() && walk.has(c.end)) {
            const PieceCharacter<Walk> next = walk.at(c.end);
            if (next.word()) {
                prefixed = c.end;
            } else if (c.byte == ' ' && next.other()) {
                is_other = true;
            }
        }
        // The first alternative, with and without the leading character, then the second.
        CRAYON_KEEP_LOOP for (std::uint32_t order = 0; order < 4; ++order) {
            const bool is_prefixed = order % 2 == 0;
            if (is_prefixed ? prefixed == 0 : !c.word()) continue;
            if (const Offset end = word_by_case_end(walk, is_prefixed ? prefixed : i, order < 2, has_suffixes)) return end;
        }
    }
    return is_other ? kOtherRule<Offset> : kWhitespaceRule<Offset>;
}

// The end of the piece that starts at i with character c; `end` is o200k_step's result. `more_numbers`: 2 for \p{N}{1,3}, 0
// for \p{N}.
template <class Walk, class Offset>
CRAYON_KERNEL_CODE Offset piece_end(Walk& walk, Offset i, const PieceCharacter<Walk>& c, Offset end, std::uint32_t more_numbers) {
    if (end == kNumberRule<Offset>) {  // \p{N}{1,3} | \p{N}
        end = c.end;
        for (std::uint32_t more = more_numbers; more > 0 && walk.has(end); --more) {
            const PieceCharacter<Walk> next = walk.at(end);
            if (next.kind != kNumber) break;
            end = next.end;
        }
        return end;
    }
    if (end == kWhitespaceRule<Offset>) {  // \s*[\r\n]+ | \s+(?!\S) | \s+
        Offset newline_end = 0, last = i, at = i;
        end = run_end(walk, i, [&](const PieceCharacter<Walk>& each) {
            if (!each.whitespace()) return false;
            if (each.kind == kNewline) newline_end = each.end;
            last = at;
            at = each.end;
            return true;
        });
        if (newline_end) return newline_end;
        return walk.ends_at(end) || last == i ? end : last;
    }
    if (end == kOtherRule<Offset>) {  // ` ?[^\s\p{L}\p{N}]+[\r\n/]*`; c may be the blank
        end = run_end(walk, c.end, [](const PieceCharacter<Walk>& each) { return each.other(); });
        return run_end(walk, end, [](const PieceCharacter<Walk>& each) { return each.kind == kNewline || each.byte == '/'; });
    }
    return end;
}

}  // namespace crayon::layout
