// For loops that wait for another thread.
#pragma once

#include <sched.h>

namespace crayon {

// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Lets another thread run on this processor.
inline void give_way() { sched_yield(); }

}  // namespace crayon
