// The step of a pattern stored as data: an automaton over character classes (crayon/layout/pattern.h, cartridges/FORMAT.md
// §11). Both its matches and the text between two matches are pieces. The value of a piece is its length in bytes.
//
// A cursor reads a character at a time: its class, then the table entry for the state and the class. Both are in shared
// memory for ASCII and tables that are not large.
//
// A step reads the characters of its piece, plus those a match needs after its end; to bound the work, a piece is at most
// kLongestPiece long. On a longer piece the step fails, and the engine does that document.
#pragma once

#include "crayon/layout/pattern.h"
#include "kernels/characters.h"
#include "kernels/step.h"

namespace crayon::gpu {

inline constexpr u32 kLongestPiece = 4096;

struct AutomatonStep {
    Global<const u16> block_of;  // kPatternBlocks
    Global<const u8> blocks;
    Global<const u16> table;
    u32 entries;     // of the table
    u32 start;       // the row where a match begins
    u32 text_end;    // used in place of a class
    u32 ill_formed;  // the class of ill-formed bytes

    static constexpr u32 kAscii = 128;
    static constexpr u32 kNear = 2048;  // entries in shared memory
    static constexpr u32 kShared = kNear;
    struct Shared {
        gpu::Shared<u8, kAscii> ascii;
        gpu::Shared<u16, kNear> table;
    };
    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& shared, u32 i) const {
        if (i < kAscii) t.store(shared.ascii, i, t.load(blocks, i));
        if (i < entries) t.store(shared.table, i, t.load(table, i));
    }

    CRAYON_KERNEL_CODE u32 id_of(const Thread&, u32 length) const { return length; }

    class Cursor {
    public:
        CRAYON_KERNEL_CODE Cursor(const Thread&, const AutomatonStep& step) : start_(step.start) {}

        CRAYON_KERNEL_CODE void start(u32 at, u32 end) {
            begin_ = at;
            left_ = end - at;
            tried_ = 0;
            match_from(0);
        }

        template <class Text>
        CRAYON_KERNEL_CODE bool advance(const Thread& t, const AutomatonStep& step, const Shared& shared, Text& text) {
            u32 kind = step.text_end, length = 0;
            if (read_ < left_) {
                const u32 first = text(begin_ + read_);
                length = 1;
                if (first < 0x80) {
                    kind = t.load(shared.ascii, first);
                } else {
                    const Character c = character_at(text, begin_ + read_, begin_ + left_);
                    kind = step.class_of(t, c.code_point);
                    length = c.length;
                }
            }
            const u32 index = state_ + kind;
            const u32 entry = index < kNear ? t.load(shared.table, index) : t.load(step.table, index);
            if (entry & layout::kPatternEnds) match_ = read_;
            state_ = entry & ~layout::kPatternEnds;
            read_ += length;
            if (state_ != 0 && length != 0 && read_ <= kLongestPiece) return false;
            return ends(text);
        }

        CRAYON_KERNEL_CODE u32 length() const { return length_; }
        CRAYON_KERNEL_CODE u32 value() const { return length_; }
        CRAYON_KERNEL_CODE bool failed() const { return length_ > kLongestPiece || is_cut_; }

    private:
        CRAYON_KERNEL_CODE void match_from(u32 at) {
            tried_ = read_ = match_ = at;
            state_ = start_;
            is_cut_ = false;
        }
        // The automaton has stopped, or has read too much. Returns whether the piece is known.
        template <class Text>
        CRAYON_KERNEL_CODE bool ends(Text& text) {
            if (state_ != 0 && read_ > kLongestPiece) {
                length_ = least(read_, left_);
                is_cut_ = true;
                return true;
            }
            if (match_ > tried_) {  // up to a match, or the whole piece
                length_ = tried_ > 0 ? tried_ : match_;
                return true;
            }
            const u32 after = tried_ + character_length_at(text);
            if (after == left_ || after > kLongestPiece) {
                length_ = after;
                return true;
            }
            match_from(after);
            return false;
        }
        template <class Text>
        CRAYON_KERNEL_CODE u32 character_length_at(Text& text) const {
            return character_length(text, begin_ + tried_, begin_ + left_);
        }

        u32 begin_ = 0, left_ = 0;  // bytes of the document from there on
        u32 start_, state_ = 0;
        u32 tried_ = 0;  // where a match is being tried; none begins earlier
        u32 read_ = 0, match_ = 0, length_ = 0;
        bool is_cut_ = false;
    };

private:
    CRAYON_KERNEL_CODE u32 class_of(const Thread& t, u32 code_point) const {
        if (code_point == kIllFormed) return ill_formed;
        const u32 block = t.load(block_of, code_point >> layout::kPatternBlockShift);
        return t.load(blocks, block << layout::kPatternBlockShift | (code_point & (kAscii - 1)));
    }
};

}  // namespace crayon::gpu
