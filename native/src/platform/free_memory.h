// What the process has freed and its allocator keeps, given back to the system.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace crayon {

// glibc keeps the freed memory of each thread's arena until this is called; other allocators give it back by themselves.
inline void give_back_free_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace crayon
