// The process's background encoding threads, and their pool. All environments (the main thread and every worker) share
// them; they end with the last one.
#pragma once

#include <cstdint>

#include "crayon/crayon.h"

namespace crayon::addon {

class Threads {
public:
    // The pool, with `count` threads if this is the first environment to ask. nullptr: memory or threads are short.
    static crayon_pool* retain(std::uint32_t count);
    // The environment has no more jobs in the pool.
    static void release();
};

}  // namespace crayon::addon
