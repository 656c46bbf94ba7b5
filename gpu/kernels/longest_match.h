// The step of longest match: the longest token at a position, from a cartridge's double array (crayon/layout/double_array.h).
//
// One unit of four bytes says whether a child exists (its label) and where its own children are (its base), so each byte
// costs one load.
// Where no token begins, a UTF-8 character is unknown, or the maximal part of an ill-formed one (Unicode 16.0, 3.9).
#pragma once

#include "crayon/layout/double_array.h"
#include "kernels/characters.h"
#include "kernels/step.h"

namespace crayon::gpu {

struct LongestMatchStep {
    Global<const u32> units, values;
    u32 longest;     // token, in bytes
    u32 unknown_id;  // or kNone

    static constexpr u32 kShared = 0;
    struct Shared {};
    CRAYON_KERNEL_CODE void prepare(const Thread&, Shared&, u32) const {}

    CRAYON_KERNEL_CODE u32 id_of(const Thread& t, u32 unit) const { return unit == kNone ? unknown_id : t.load(values, unit); }

    // Reads a byte at a time.
    class Cursor {
    public:
        CRAYON_KERNEL_CODE Cursor(const Thread& t, const LongestMatchStep& step)
            : root_(layout::base_of(t.load(step.units, 0))), longest_(step.longest) {}

        CRAYON_KERNEL_CODE void start(u32 at, u32 end) {
            begin_ = at;
            end_ = end;
            most_ = least(end - at, longest_);
            base_ = root_;
            length_ = read_ = 0;
        }

        template <class Text>
        CRAYON_KERNEL_CODE bool advance(const Thread& t, const LongestMatchStep& step, const Shared&, Text& text) {
            const u32 byte = text(begin_ + read_), index = base_ ^ byte, unit = t.load(step.units, index);
            if (layout::label_of(unit) == byte) {
                ++read_;
                base_ = layout::base_of(unit);
                if (layout::is_terminal(unit)) {
                    length_ = read_;
                    unit_ = index;
                }
                if (read_ < most_) return false;
            }
            if (length_ == 0) {
                unit_ = kNone;
                length_ = character_length(text, begin_, end_);
                failed_ = step.unknown_id == kNone;
            }
            return true;
        }

        CRAYON_KERNEL_CODE u32 length() const { return length_; }
        CRAYON_KERNEL_CODE u32 value() const { return unit_; }
        CRAYON_KERNEL_CODE bool failed() const { return failed_ && unit_ == kNone; }

    private:
        u32 begin_ = 0, end_ = 0;
        u32 root_, longest_, most_ = 0;
        u32 base_ = 0, read_ = 0;        // of the current path
        u32 length_ = 0, unit_ = kNone;  // of the longest token on it
        bool failed_ = false;
    };
};

}  // namespace crayon::gpu
