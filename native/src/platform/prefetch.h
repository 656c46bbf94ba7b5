// Prefetches memory that will be read soon, so that cache misses overlap.
#pragma once

namespace crayon {

// The address need not be readable. WebAssembly has no such instruction.
inline void prefetch([[maybe_unused]] const void* address) {
#ifndef __wasm__
    __builtin_prefetch(address);
    asm volatile("");  // GCC would remove calls to a function that only prefetches
#endif
}

}  // namespace crayon
