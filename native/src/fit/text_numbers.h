// Shared by the files of TextTokens: searching ascending offsets, and ending a text in the middle of another one.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/buffer.h"
#include "base/integers.h"
#include "scan/scanner.h"

namespace crayon {

// An open piece is encoded once it has this many bytes, plus one per token.
constexpr u32 kLeastOpen = 128;
// This many tokens at the end of its known part may differ in the whole piece.
constexpr u32 kMarginTokens = 32;
// The bytes that the scan leaves undecided in most texts.
constexpr u32 kUndecided = 96;
constexpr u32 kNowhere = 0xFFFFFFFF;

// By value: std::min and std::max are calls in code optimized for size.
constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// The first index from `from` on whose end is after an offset. Cost: logarithmic in the distance.
inline u32 after(const Buffer<u32>& ends, u32 from, u32 offset) {
    const u32 size = static_cast<u32>(ends.size());
    u32 step = 1;
    while (from + step <= size && ends[from + step - 1] <= offset) {
        from += step;
        step *= 2;
    }
    const u32* const stop = ends.begin() + smaller(from + step, size);
    return static_cast<u32>(std::upper_bound(ends.begin() + from, stop, offset) - ends.begin());
}

// While alive, zeros follow text[end], as after the end of a text.
class Seal {
public:
    Seal(u8* text, u32 end) : following_(text + end) {
        std::memcpy(kept_, following_, kScanPadding);
        std::memset(following_, 0, kScanPadding);
    }
    ~Seal() { std::memcpy(following_, kept_, kScanPadding); }
    Seal(const Seal&) = delete;
    Seal& operator=(const Seal&) = delete;

private:
    u8* const following_;
    u8 kept_[kScanPadding];
};

}  // namespace crayon
