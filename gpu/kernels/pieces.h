// The step of a pretokenizer (crayon/layout/piece_steps.h, deepseek3_step.h), for the patterns of gpt2, cl100k, qwen2, o200k and
// tekken, and of deepseek3 in kernels of its own, as it has little in common with the others. Nothing from the end of the
// document on is read. The "id" of a piece is its length in bytes.
//
// A step looks at as many characters as its piece has, and one more; so that work is bounded, a piece is not longer than
// kLongestPiece. Where one is, the step has no id, and the engine does that document.
#pragma once

#include "crayon/layout/cartridge.h"
#include "crayon/layout/deepseek3_step.h"
#include "crayon/layout/piece_steps.h"
#include "crayon/layout/utf8.h"
#include "kernels/step.h"

namespace crayon::gpu {

inline constexpr u32 kLongestPiece = 4096;

// The tables of the classes of characters, as in native/src/scan/unicode_16_0.h.
inline constexpr u32 kClassBlock = 128;  // code points of a block of the table
inline constexpr u32 kClassBlocks = 0x110000 / kClassBlock;

struct PieceTables {
    Global<const u8> blocks;   // the number of the block of every 128 code points
    Global<const u8> classes;  // of the code points of each block; of deepseek3 with symbols, ideographs and kana
    u32 pretokenizer;          // layout::Pretokenizer
};

template <bool kIsDeepseek3>
struct PieceStepOf : PieceTables {
    static constexpr u32 kIllFormed = kIsDeepseek3 ? layout::kSymbolClass : u32{layout::kOtherClass};  // the class of U+FFFD

    static constexpr u32 kShared = 128;
    using Shared = gpu::Shared<u8, kShared>;  // the classes of ASCII

    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& ascii, u32 i) const {
        t.store(ascii, i, static_cast<u8>(class_of(t, i)));
    }

    template <class Text>
    CRAYON_KERNEL_CODE Next operator()(const Thread& t, const Shared& ascii, const Text& text, u64 at, u64 end) const {
        Walk<Text> walk{t, *this, ascii, text, at, end};
        const u64 next = end_of(walk, at);
        const u64 length = next - at;  // a suffix may exceed what runs are held to
        return {next, walk.too_long || length > kLongestPiece ? kNone : static_cast<u32>(length)};
    }

private:
    template <class Walk>
    CRAYON_KERNEL_CODE u64 end_of(Walk& walk, u64 at) const {
        const layout::PieceCharacter<Walk> c = walk.at(at);
        if constexpr (kIsDeepseek3) {
            return layout::deepseek3_step(walk, at, c);
        } else {
            const bool is_tekken = pretokenizer == layout::kTekken;
            const bool is_o200k = pretokenizer == layout::kO200k || is_tekken, is_gpt2 = pretokenizer == layout::kGpt2;
            const u64 rule_or_end = is_o200k  ? layout::o200k_step(walk, at, c, !is_tekken)
                                    : is_gpt2 ? layout::gpt2_step(walk, c)
                                              : layout::cl100k_step(walk, c);
            const u32 more_numbers = pretokenizer == layout::kQwen2 || is_tekken ? 0 : 2;
            return layout::piece_end(walk, at, c, rule_or_end,
                                     {.more_numbers = more_numbers, .newline_pieces = !is_gpt2, .slashes = is_o200k});
        }
    }

    CRAYON_KERNEL_CODE u32 class_of(const Thread& t, u32 code_point) const {
        const u32 block = t.load(blocks, code_point / kClassBlock);
        return t.load(classes, block * kClassBlock + code_point % kClassBlock);
    }

    // One step in a document.
    template <class Text>
    struct Walk {
        const Thread& t;
        const PieceStepOf& step;
        const Shared& ascii;
        const Text& text;
        u64 begin, end;  // of the piece, of the document
        bool too_long = false;

        using Offset = u64;
        using Character = layout::PieceCharacter<Walk>;

        CRAYON_KERNEL_CODE bool has(u64 i) const { return i < end; }
        CRAYON_KERNEL_CODE bool stops_at(u64 i) {
            if (i - begin <= kLongestPiece) return false;
            too_long = true;
            return true;
        }
        CRAYON_KERNEL_CODE bool ends_at(u64 i) const { return i == end; }
        CRAYON_KERNEL_CODE u32 byte(u64 i) const { return i < end ? text(i) : 0u; }

        // What is not UTF-8 is of the class of U+FFFD, part by part.
        CRAYON_KERNEL_CODE Character at(u64 i) const {
            const u32 first = text(i);
            if (first < 0x80) return {first, t.load(ascii, first), i + 1};
            const auto ill_formed = [&](u32 length) { return Character{first, kIllFormed, i + length}; };
            if (first < 0xC2 || first > 0xF4) return ill_formed(1);
            const u32 second = byte(i + 1);
            if (second < layout::least_second(first) || second > layout::most_second(first)) return ill_formed(1);
            if (first < 0xE0) return {first, step.class_of(t, (first & 0x1F) << 6 | (second & 0x3F)), i + 2};
            const u32 third = byte(i + 2);
            if (!layout::is_continuation(third)) return ill_formed(2);
            if (first < 0xF0)
                return {first, step.class_of(t, (first & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)), i + 3};
            const u32 fourth = byte(i + 3);
            if (!layout::is_continuation(fourth)) return ill_formed(3);
            return {first, step.class_of(t, (first & 7) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | (fourth & 0x3F)),
                    i + 4};
        }
    };
};

// With names of their own, by which reports find their kernels.
struct PieceStep : PieceStepOf<false> {};
struct Deepseek3Step : PieceStepOf<true> {};

}  // namespace crayon::gpu
