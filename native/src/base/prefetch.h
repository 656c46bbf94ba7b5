// Asks for memory that will be read soon, so that the processor fetches several places at once.
#pragma once

namespace crayon {

// The address need not be readable.
inline void prefetch(const void* place) {
    __builtin_prefetch(place);
    asm volatile("");  // a function that only prefetches has no effect, for GCC, and its calls go
}

}  // namespace crayon
