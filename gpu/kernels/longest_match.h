// The step of longest match: the longest token at a position, from the double array of a cartridge
// (crayon/layout/double_array.h).
//
// One unit of four bytes says whether there is a child (its label) and where its own children are (its base), so each byte
// costs one load. The 256 units below the root are in shared memory.
// Where no token begins, a character of UTF-8 is unknown, or the maximal part of an ill-formed one (Unicode 16.0, 3.9).
#pragma once

#include "crayon/layout/double_array.h"
#include "crayon/layout/utf8.h"
#include "kernels/step.h"

namespace crayon::gpu {

struct LongestMatchStep {
    Global<const u32> units, values;
    u32 longest;     // token, in bytes
    u32 unknown_id;  // or kNone

    static constexpr u32 kShared = 256;
    using Shared = gpu::Shared<u32, kShared>;

    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& root, u32 i) const {
        t.store(root, i, t.load(units, layout::base_of(t.load(units, 0)) ^ i));
    }

    template <class Text>
    CRAYON_KERNEL_CODE Next operator()(const Thread& t, const Shared& root, const Text& text, u64 at, u64 end) const {
        const u32 limit = static_cast<u32>(least<u64>(end - at, longest));
        u32 byte = text(at), unit = t.load(root, byte);
        u32 index = layout::base_of(t.load(units, 0)) ^ byte;
        u32 length = 0, last = 0;
        for (u32 i = 1; layout::label_of(unit) == byte; ++i) {
            if (layout::is_terminal(unit)) {
                last = index;
                length = i;
            }
            if (i == limit) break;
            byte = text(at + i);
            index = layout::base_of(unit) ^ byte;
            unit = t.load(units, index);
        }
        if (length > 0) return {at + length, t.load(values, last)};
        return {at + character(text, at, end), unknown_id};
    }

private:
    // The length of the character there; 1 … 4.
    template <class Text>
    CRAYON_KERNEL_CODE static u32 character(const Text& text, u64 at, u64 end) {
        const auto byte = [&](u32 i) { return at + i < end ? text(at + i) : 0u; };
        const u32 first = byte(0);
        if (first < 0xC2 || first > 0xF4) return 1;
        if (first < 0xE0) return layout::is_continuation(byte(1)) ? 2 : 1;
        if (byte(1) < layout::least_second(first) || byte(1) > layout::most_second(first)) return 1;
        if (!layout::is_continuation(byte(2))) return 2;
        return first < 0xF0 || !layout::is_continuation(byte(3)) ? 3 : 4;
    }
};

}  // namespace crayon::gpu
