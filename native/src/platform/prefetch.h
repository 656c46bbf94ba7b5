// Prefetches memory that will be read soon, so that cache misses overlap.
#pragma once

namespace crayon {

// Whether prefetching has an effect: WebAssembly has no such instruction, and computing addresses to prefetch would be
// wasted time there (a tenth of the time of a first text, 2026-11).
#ifdef __wasm__
inline constexpr bool kPrefetches = false;
#else
inline constexpr bool kPrefetches = true;
#endif

// The address need not be readable.
inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");  // GCC would remove calls to a function that only prefetches
}

}  // namespace crayon
