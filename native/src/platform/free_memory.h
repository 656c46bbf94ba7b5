// What the process has freed and its allocator keeps, given back to the system.
#pragma once

#include <cstddef>
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <dlfcn.h>
#endif

namespace crayon {

// glibc keeps the freed memory of each thread's arena until this is called; other allocators give it back by themselves. The
// function is looked up, since musl does not have it and the same addon runs with both.
inline void give_back_free_memory() {
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
    using Trim = int (*)(std::size_t);
    static const Trim trim = reinterpret_cast<Trim>(dlsym(RTLD_DEFAULT, "malloc_trim"));
    if (trim) trim(0);
#endif
}

}  // namespace crayon
