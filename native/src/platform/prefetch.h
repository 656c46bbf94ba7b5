// Asks for memory that will be read soon, so that the processor fetches several places at once.
#pragma once

namespace crayon {

// Whether asking does anything: WebAssembly has no such instruction, and finding out what to ask for is in vain there
// (a tenth of the time of a first text, 2026-11).
#ifdef __wasm__
inline constexpr bool kPrefetches = false;
#else
inline constexpr bool kPrefetches = true;
#endif

// The address need not be readable.
inline void prefetch(const void* place) {
    __builtin_prefetch(place);
    asm volatile("");  // a function that only prefetches has no effect, for GCC, and its calls go
}

}  // namespace crayon
