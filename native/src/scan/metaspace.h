// metaspace: a piece begins at each U+2581 (Metaspace of Hugging Face, after its replacements).   ▁[^▁]*|[^▁]+
#pragma once

#include <algorithm>

#include "scan/block.h"
#include "scan/scanner.h"

namespace crayon::CRAYON_KERNEL {

template <class Bytes>
u32 scan_metaspace(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity) {
    constexpr u8 kMark[3] = {0xE2, 0x96, 0x81};
    u32* out = boundaries;
    u32* const full = boundaries + capacity - kMinBoundaries;
    while (out <= full) {
        const size_t available = size - state.position;
        if (available < 64 + sizeof kMark && !(last && available > 0)) break;
        const u8* const p = text + state.position;
        u64 starts = 0;
        if (available >= sizeof kMark) {  // so that at most kScanPadding bytes past the text are read
            starts = Bytes::load(p).equal(kMark[0]) & Bytes::load(p + 1).equal(kMark[1]) & Bytes::load(p + 2).equal(kMark[2]);
        }
        if (available < 64) starts &= (u64{1} << available) - 1;
        if (state.position == state.start) starts &= ~u64{1};
        out = write_positions<Bytes>(starts, static_cast<u32>(state.position), out);
        if (out != boundaries) state.start = out[-1];
        state.position += std::min<size_t>(available, 64);
        if (last && state.position == size && state.start < size) *out++ = static_cast<u32>(state.start = size);
    }
    return static_cast<u32>(out - boundaries);
}

}  // namespace crayon::CRAYON_KERNEL
