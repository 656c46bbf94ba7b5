// Threads of the process's own. A WebAssembly module has none: there, what only threads need is not compiled.
#pragma once

#include <pthread.h>

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

}  // namespace crayon
