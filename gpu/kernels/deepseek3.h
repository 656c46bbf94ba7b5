// The step of deepseek3, whose three patterns apply in sequence, shared with the engine (crayon/layout/deepseek3_step.h). A
// cursor takes a whole piece at a time. The value of a piece is its length in bytes; a piece longer than kLongestPiece
// fails, as in automaton.h.
#pragma once

#include "crayon/layout/deepseek3_step.h"
#include "kernels/automaton.h"

namespace crayon::gpu {

// With the character classes of native/src/gpu/device_tables.h.
struct Deepseek3Step {
    Global<const u8> blocks;   // the block number of every 128 code points
    Global<const u8> classes;  // of each block's code points

    static constexpr u32 kShared = 128;
    using Shared = gpu::Shared<u8, kShared>;  // the classes of ASCII

    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& ascii, u32 i) const {
        t.store(ascii, i, static_cast<u8>(class_of(t, i)));
    }

    CRAYON_KERNEL_CODE u32 id_of(const Thread&, u32 length) const { return length; }

    class Cursor {
    public:
        CRAYON_KERNEL_CODE Cursor(const Thread&, const Deepseek3Step&) {}
        CRAYON_KERNEL_CODE void start(u32 at, u32 end) {
            at_ = at;
            end_ = end;
        }
        template <class Text>
        CRAYON_KERNEL_CODE bool advance(const Thread& t, const Deepseek3Step& step, const Shared& ascii, Text& text) {
            Walk<Text> walk{t, step, ascii, text, at_, end_};
            const u32 next = layout::deepseek3_step(walk, at_, walk.at(at_));
            length_ = next - at_;
            failed_ = walk.too_long || next - at_ > kLongestPiece;
            return true;
        }
        CRAYON_KERNEL_CODE u32 length() const { return length_; }
        CRAYON_KERNEL_CODE u32 value() const { return length_; }
        CRAYON_KERNEL_CODE bool failed() const { return failed_; }

    private:
        u32 at_ = 0, end_ = 0;
        u32 length_ = 0;
        bool failed_ = false;
    };

private:
    CRAYON_KERNEL_CODE u32 class_of(const Thread& t, u32 code_point) const {
        const u32 block = t.load(blocks, code_point / kClassBlock);
        return t.load(classes, block * kClassBlock + code_point % kClassBlock);
    }

    // One step in a document.
    template <class Text>
    struct Walk {
        const Thread& t;
        const Deepseek3Step& step;
        const Shared& ascii;
        Text& text;
        u32 begin, end;  // of the piece, of the document
        bool too_long = false;

        using Offset = u32;
        using Character = layout::PieceCharacter<Walk>;

        CRAYON_KERNEL_CODE bool has(u32 i) const { return i < end; }
        CRAYON_KERNEL_CODE bool stops_at(u32 i) {
            if (i - begin <= kLongestPiece) return false;
            too_long = true;
            return true;
        }
        CRAYON_KERNEL_CODE bool ends_at(u32 i) const { return i == end; }
        CRAYON_KERNEL_CODE u32 byte(u32 i) const { return i < end ? text(i) : 0u; }

        CRAYON_KERNEL_CODE Character at(u32 i) const {
            const u32 first = text(i);
            if (first < 0x80) return {first, t.load(ascii, first), i + 1};
            const gpu::Character c = character_at(text, i, end);
            const u32 kind = c.code_point == kIllFormed ? u32{layout::kSymbolClass} : step.class_of(t, c.code_point);
            return {first, kind, i + c.length};
        }
    };
};

}  // namespace crayon::gpu
