// The scan without a pretokenizer: cuts the text where no token (scan/joined_bytes.h) and no UTF-8 character crosses.
//
// A text may have no such position for a long range. For longest match it is then cut anywhere, so that memory stays
// bounded: such a piece is longer than kLongestWhole, and the text that its last token may need is available. For BPE it is
// not cut: tokens before a position may depend on any text after it.
#pragma once

#include <algorithm>
#include <bit>

#include "crayon/layout/longest_match.h"
#include "scan/block.h"
#include "scan/joined_bytes.h"
#include "scan/scanner.h"

namespace crayon::CRAYON_KERNEL {

// Bit i: a cut is possible between p[i] and p[i + 1]. Reads p[0, 65).
template <class Bytes>
[[gnu::always_inline]] inline u64 unjoined_positions(const u8* p, const JoinedBytes& joined_bytes) {
    const Bytes left_bytes = Bytes::load(p), right_bytes = Bytes::load(p + 1);
    u64 positions;
    if constexpr (requires { left_bytes.looked_up(joined_bytes.left); }) {
        positions = left_bytes.looked_up(joined_bytes.left).disjoint(right_bytes.looked_up(joined_bytes.right));
    } else {
        positions = 0;
        for (u32 i = 0; i < 64; ++i) {
            positions |= u64{(joined_bytes.left[p[i] & 127] & joined_bytes.right[p[i + 1] & 127]) == 0} << i;
        }
    }
    const u64 non_ascii = left_bytes.non_ascii() | right_bytes.non_ascii();
    if (non_ascii == 0) [[likely]]
        return positions;
    positions &= ~non_ascii;
    const u64 apart = joined_bytes.has_apart ? right_bytes.between(joined_bytes.first_apart, joined_bytes.last_apart) : 0;
    positions |= apart;
    for (u64 rest = non_ascii & ~apart & ~right_bytes.between(0x80, 0xBF); rest; rest &= rest - 1) {
        const u32 i = static_cast<u32>(std::countr_zero(rest));
        positions |= u64{!layout::is_joined(joined_bytes.table, p[i], p[i + 1])} << i;
    }
    return positions;
}

// Merges two single bytes into one piece, which is looked up as fast as one byte: drops the second, fourth, … of
// consecutive positions, but never the last, or a single byte would join the longer piece after it, making many more
// distinct pieces. (Code gets a third fewer pieces, and the same number of distinct ones.)
inline u64 pair_singles(u64 positions) {
    constexpr u64 kEven = 0x5555555555555555;
    const u64 starts = positions & ~(positions << 1), lasts = positions & ~(positions >> 1);
    const u64 runs_from_even = positions & ~(positions + (starts & kEven));  // the sum carries through these positions
    return (runs_from_even & kEven) | (positions & ~runs_from_even & ~kEven) | lasts;
}

template <class Bytes>
u32 scan_unjoined(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity) {
    const JoinedBytes& joined_bytes = *state.joined_bytes;
    // For BPE a position ends a piece regardless of the text before it, as with any pretokenizer, so a part of a text has
    // the same pieces as the whole text (parallel/chain.h).
    const bool is_merged = joined_bytes.reach == 0;
    // A token that extends past one such cut must not come near the next.
    const size_t enough = joined_bytes.reach + kLongestWhole + 4096;
    u32* out = boundaries;
    u32* const full = boundaries + capacity - kMinBoundaries;
    while (out <= full) {
        const size_t available = size - state.position;
        if (available <= 64 && !(last && available > 0)) break;
        u64 positions = unjoined_positions<Bytes>(text + state.position, joined_bytes);
        if (available <= 64) positions &= (u64{1} << (available - 1)) - 1;
        out = write_positions<Bytes>(is_merged ? positions : pair_singles(positions), static_cast<u32>(state.position + 1), out);
        if (out != boundaries) state.start = out[-1];
        state.position += available < 64 ? available : 64;
        if (last && state.position == size) {
            if (state.start < size) *out++ = static_cast<u32>(state.start = size);
            break;
        }
        if (is_merged) continue;
        // Up to here, all text that a token may need is available.
        const size_t known = last ? state.position : std::min(state.position, size - std::min<size_t>(size, joined_bytes.reach));
        if (known > state.start && known - state.start >= enough) *out++ = static_cast<u32>(state.start = known);
    }
    return static_cast<u32>(out - boundaries);
}

}  // namespace crayon::CRAYON_KERNEL
