// The scan of a text that is one piece: without a pretokenizer, for WordPiece and Unigram, which depend on all of it.
#pragma once

#include "scan/scanner.h"

namespace crayon {

inline u32 scan_whole(ScanState& state, const u8*, size_t size, bool last, u32* boundaries, u32) {
    state.position = size;
    if (!last || state.start == size) return 0;
    *boundaries = static_cast<u32>(state.start = size);
    return 1;
}

}  // namespace crayon
