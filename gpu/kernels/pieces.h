// The step of a pretokenizer: the end of the piece that begins at a position, for the patterns of gpt2, cl100k, qwen2 and o200k.
//
// Each is written as its pattern is: see native/src/scan, which has the same steps for the CPU. What is before a position does
// not matter, and nothing from the end of the document on is read. The "id" of a piece is its length in bytes.
//
// A step looks at as many characters as its piece has, and one more; so that work is bounded, a piece is not longer than
// kLongestPiece. Where one is, the step has no id, and the engine does that document.
#pragma once

#include "crayon/layout/cartridge.h"
#include "crayon/layout/contraction.h"
#include "crayon/layout/utf8.h"
#include "kernels/step.h"

namespace crayon::gpu {

inline constexpr u32 kLongestPiece = 4096;

// The classes of characters, as in native/src/scan/unicode_16_0.h.
enum CharacterClass : u32 { kOtherClass, kUpper, kLower, kCaseless, kMark, kNumber, kSpace, kNewline };
inline constexpr u32 kClassBlock = 128;  // code points of a block of the table
inline constexpr u32 kClassBlocks = 0x110000 / kClassBlock;

struct PieceStep {
    Global<const u8> blocks;   // the number of the block of every 128 code points
    Global<const u8> classes;  // of the code points of each block
    u32 pretokenizer;          // layout::Pretokenizer

    static constexpr u32 kShared = 128;
    using Shared = gpu::Shared<u8, kShared>;  // the classes of ASCII

    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& ascii, u32 i) const {
        t.store(ascii, i, static_cast<u8>(class_of(t, i)));
    }

    template <class Text>
    CRAYON_KERNEL_CODE Next operator()(const Thread& t, const Shared& ascii, const Text& text, u64 at, u64 end) const {
        Walk<Text> walk{t, *this, ascii, text, at, end, false};
        const u64 next = walk.piece(at);
        return {next, walk.too_long ? kNone : static_cast<u32>(next - at)};
    }

private:
    CRAYON_KERNEL_CODE u32 class_of(const Thread& t, u32 code_point) const {
        const u32 block = t.load(blocks, code_point / kClassBlock);
        return t.load(classes, block * kClassBlock + code_point % kClassBlock);
    }

    struct Character {
        u32 byte, kind;  // its first byte, its class
        u64 end;

        CRAYON_KERNEL_CODE bool letter() const { return kind >= kUpper && kind <= kCaseless; }
        CRAYON_KERNEL_CODE bool word() const { return kind >= kUpper && kind <= kMark; }
        CRAYON_KERNEL_CODE bool caseless() const { return kind == kCaseless || kind == kMark; }
        CRAYON_KERNEL_CODE bool whitespace() const { return kind >= kSpace; }
        CRAYON_KERNEL_CODE bool other() const { return kind == kOtherClass || kind == kMark; }
        // Letters, numbers, whitespace, others.
        CRAYON_KERNEL_CODE u32 group() const {
            return letter() ? kUpper : whitespace() ? kSpace : kind == kNumber ? kNumber : kOtherClass;
        }
    };

    // Of one step.
    template <class Text>
    struct Walk {
        const Thread& t;
        const PieceStep& step;
        const Shared& ascii;
        const Text& text;
        u64 begin, end;
        bool too_long;

        // From a position before the end of the document. What is not UTF-8 is of the class of U+FFFD, part by part.
        CRAYON_KERNEL_CODE Character at(u64 i) const {
            const u32 first = text(i);
            if (first < 0x80) return {first, t.load(ascii, first), i + 1};
            const auto byte = [&](u32 k) { return i + k < end ? text(i + k) : 0u; };
            const auto ill_formed = [&](u32 length) { return Character{first, kOtherClass, i + length}; };
            if (first < 0xC2 || first > 0xF4) return ill_formed(1);
            const u32 second = byte(1);
            if (second < layout::least_second(first) || second > layout::most_second(first)) return ill_formed(1);
            if (first < 0xE0) return {first, step.class_of(t, (first & 0x1F) << 6 | (second & 0x3F)), i + 2};
            const u32 third = byte(2);
            if (!layout::is_continuation(third)) return ill_formed(2);
            if (first < 0xF0)
                return {first, step.class_of(t, (first & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)), i + 3};
            const u32 fourth = byte(3);
            if (!layout::is_continuation(fourth)) return ill_formed(3);
            return {first, step.class_of(t, (first & 7) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | (fourth & 0x3F)),
                    i + 4};
        }

        // The end of the run of characters from i on for which it is true.
        template <class Belongs>
        CRAYON_KERNEL_CODE u64 run(u64 i, Belongs belongs) {
            while (i < end) {
                const Character c = at(i);
                if (!belongs(c)) break;
                i = c.end;
                if (i - begin > kLongestPiece) {
                    too_long = true;
                    break;
                }
            }
            return i;
        }

        // The letters of a contraction at i, in bytes; 0 if there are none.
        CRAYON_KERNEL_CODE u32 contraction(u64 i, bool ignores_case) const {
            return i < end ? layout::contraction_letters(text(i), i + 1 < end ? text(i + 1) : 0, ignores_case) : 0;
        }

        // \p{N}{1,3} or \p{N}, after its first character.
        CRAYON_KERNEL_CODE u64 numbers(u64 i, u32 more) const {
            for (; more > 0 && i < end; --more) {
                const Character c = at(i);
                if (c.kind != kNumber) break;
                i = c.end;
            }
            return i;
        }

        // \s*[\r\n]+ | \s+(?!\S) | \s+, the first only with newlines.
        CRAYON_KERNEL_CODE u64 whitespace(u64 i, bool with_newlines = true) {
            u64 newline_end = 0, last = i, here = i;
            const u64 run_end = run(i, [&](const Character& c) {
                if (!c.whitespace()) return false;
                if (c.kind == kNewline) newline_end = c.end;
                last = here;
                here = c.end;
                return true;
            });
            if (newline_end && with_newlines) return newline_end;
            return run_end == end || last == i ? run_end : last;
        }

        // The end of the piece. What patterns have in common is here once: it is much code, and more of it would be slower.
        CRAYON_KERNEL_CODE u64 piece(u64 i) {
            const Character c = at(i);
            const bool is_o200k = step.pretokenizer == layout::kO200k, is_gpt2 = step.pretokenizer == layout::kGpt2;
            const u64 next = is_o200k ? o200k(i, c) : is_gpt2 ? gpt2(c) : cl100k(c);
            if (next == kNumbers) return numbers(c.end, step.pretokenizer == layout::kQwen2 ? 0 : 2);
            if (next == kWhitespace) return whitespace(i, !is_gpt2);
            if (next != kOthers) return next;
            const u64 others_end = run(c.end, [](const Character& each) { return each.other(); });
            return run(others_end,
                       [&](const Character& each) { return each.kind == kNewline || (is_o200k && each.byte == '/'); });
        }
        // In place of an end: such a piece begins with the character.
        static constexpr u64 kNumbers = ~u64{0}, kWhitespace = kNumbers - 1, kOthers = kNumbers - 2;

        CRAYON_KERNEL_CODE u64 gpt2(Character c) {
            if (c.byte == '\'') {
                if (const u32 length = contraction(c.end, false)) return c.end + length;
            }
            if (c.byte == ' ' && c.end < end) {
                const Character next = at(c.end);
                if (!next.whitespace()) c = next;
            }
            if (c.whitespace()) return kWhitespace;
            const u32 kind = c.group();
            return run(c.end, [&](const Character& each) { return each.group() == kind; });
        }

        CRAYON_KERNEL_CODE u64 cl100k(const Character& c) {
            if (c.byte == '\'') {
                if (const u32 length = contraction(c.end, true)) return c.end + length;
            }
            if (c.kind == kNumber) return kNumbers;
            u64 letters = c.letter() ? c.end : 0;
            if (letters == 0 && c.kind != kNewline && c.end < end) {
                const Character next = at(c.end);
                if (next.letter()) letters = next.end;
                if (c.byte == ' ' && next.other()) return kOthers;
            }
            if (letters > 0) return run(letters, [](const Character& each) { return each.letter(); });
            return c.other() ? kOthers : kWhitespace;
        }

        CRAYON_KERNEL_CODE u64 o200k(u64 i, const Character& c) {
            if (c.kind == kNumber) return kNumbers;
            bool is_other = c.other();
            if (c.kind != kNewline) {
                u64 prefixed = 0;
                if (!c.letter() && c.end < end) {
                    const Character next = at(c.end);
                    if (next.word()) {
                        prefixed = c.end;
                    } else if (c.byte == ' ' && next.other()) {
                        is_other = true;
                    }
                }
                // The first alternative, with the character before it and without, then the second.
                CRAYON_KEEP_LOOP for (u32 order = 0; order < 4; ++order) {
                    const bool is_prefixed = order % 2 == 0;
                    if (is_prefixed ? prefixed == 0 : !c.word()) continue;
                    if (const u64 word_end = word(is_prefixed ? prefixed : i, order < 2)) return word_end;
                }
            }
            return is_other ? kOthers : kWhitespace;
        }

        // [AC]*[BC]+ (with_lower) or [AC]+[BC]* from i on, and the suffix; 0 if there is none.
        CRAYON_KERNEL_CODE u64 word(u64 i, bool with_lower) {
            u64 caseless_end = 0;
            const u64 upper_end = run(i, [&](const Character& c) {
                if (c.caseless()) caseless_end = c.end;
                return c.kind == kUpper || c.caseless();
            });
            u64 word_end = run(upper_end, [](const Character& c) { return c.kind == kLower || c.caseless(); });
            if (with_lower && word_end == upper_end) word_end = caseless_end;
            if (word_end == 0 || word_end == i) return 0;
            if (word_end < end && text(word_end) == '\'') {
                if (const u32 length = contraction(word_end + 1, true)) word_end += 1 + length;
            }
            return word_end;
        }
    };
};

}  // namespace crayon::gpu
