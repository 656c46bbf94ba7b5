// The scan of a pattern family: block by block with masks, piece by piece where the masks do not determine a block.
#pragma once

#include <type_traits>

#include "scan/block.h"

namespace crayon::CRAYON_KERNEL {

// A block looks at this many bytes past its 64: the next character, or a contraction that begins in its last byte.
inline constexpr size_t kLookahead = 8;

// The family's symbols: a set from scan/symbols.h.
template <class Family>
struct FindSymbols {
    using Set = std::conditional_t<Family::kSymbols, PunctuationAndSymbols, NoSymbols>;
};
template <class Family>
requires requires { typename Family::Symbols; }
struct FindSymbols<Family> {
    using Set = typename Family::Symbols;
};
template <class Family>
using SymbolsOf = typename FindSymbols<Family>::Set;

// A family may have options: its members, bools. They are passed at run time, so that similar families share their code.
template <class Family, class Bytes>
[[gnu::noinline]] u32 scan_alike(Family family, ScanState& state, const u8* text, size_t size, bool last, u32* boundaries,
                                 u32 capacity) {
    RecentPages recent;
    u32* out = boundaries;
    u32* const full = boundaries + capacity - kMinBoundaries;
    while (out <= full) {
        const size_t available = size - state.position;
        if (available < 64 + kLookahead && !(last && available > 0)) break;
        if (size < state.wanted && !last) break;

        const Block block = classify<SymbolsOf<Family>, Bytes>(text, state.position, available, recent);
        u64 starts;
        size_t confirmed;
        if (family.starts(block, state, confirmed, starts)) [[likely]] {
            if (confirmed != ScanState::kNowhere) *out++ = static_cast<u32>(confirmed);
            if (state.position == state.start) starts &= ~u64{1};
            out = write_positions<Bytes>(starts, static_cast<u32>(state.position), out);
            if (out != boundaries) state.start = out[-1];
            state.position += block.length;
        } else if constexpr (requires(Walk walk) { family.step(walk, size_t{}); }) {
            const size_t block_end = state.position + block.length;
            size_t at = state.start;
            while (at < block_end) {
                Walk walk{text, size, last};
                const size_t end = family.step(walk, at);
                if (walk.needs_more_text) break;
                *out++ = static_cast<u32>(end);
                at = end;
            }
            state.restart(at);
            // A piece that does not end in the text so far is retried when the text after its start has doubled: linear in
            // total.
            if (at < block_end) state.wanted = at + 2 * (size - at);
        }
        if (last && state.position == size && state.start < size) {
            *out++ = static_cast<u32>(size);
            state.start = size;
        }
    }
    return static_cast<u32>(out - boundaries);
}

template <class Family, class Bytes, bool... kOptions>
u32 scan(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity) {
    return scan_alike<Family, Bytes>(Family{kOptions...}, state, text, size, last, boundaries, capacity);
}

}  // namespace crayon::CRAYON_KERNEL
