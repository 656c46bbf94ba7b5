// The threads of the process that encode in the background, and the pool that they work for. All environments (the main
// thread and every worker) share them; they end with the last one.
#pragma once

#include <cstdint>

#include "crayon/crayon.h"

namespace crayon::addon {

class Threads {
public:
    // The pool, with `count` threads if this is the first environment that asks. nullptr: memory or threads are short.
    static crayon_pool* retain(std::uint32_t count);
    // The environment has no job in the pool any more.
    static void release();

    // A thread apart from the pool; nullptr if none starts. It is to be joined.
    static void* start(void* (*run)(void*), void* argument);
    static void join(void* thread);
};

}  // namespace crayon::addon
