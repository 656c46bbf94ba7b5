// Threads of the process's own. A WebAssembly module has none: there, what only threads need is not compiled.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace crayon {

#ifdef __EMSCRIPTEN__
inline constexpr bool kHasThreads = false;

class Thread {
public:
    bool start(void* (*)(void*), void*) { return false; }
    void join() {}
};
#else
inline constexpr bool kHasThreads = true;

class Thread {
public:
    // Whether it has started; then it must be joined.
    bool start(void* (*run)(void*), void* argument);
    void join() { pthread_join(thread_, nullptr); }

private:
    pthread_t thread_;
};
#endif

// For loops that wait for another thread.

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
