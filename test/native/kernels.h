// Runs the body of a test on every SIMD kernel of this machine, by name. A compiled-in kernel that cannot run here is not tested:
// the names of the tested ones are printed once, to show it in logs.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "kernels/kernel.h"

namespace crayon::test {

inline void print_kernels_once() {
    static const bool printed = [] {
        std::printf("kernels tested:");
        for (u32 i = 0; const Kernel* kernel = kernel_at(i); ++i) std::printf(" %s", kernel->name);
        std::printf("\n");
        return true;
    }();
    (void)printed;
}

template <class Body>
void for_each_kernel(Body body) {
    print_kernels_once();
    u32 count = 0;
    while (const Kernel* kernel = kernel_at(count)) {
        SCOPED_TRACE(std::string("kernel ") + kernel->name);
        body(*kernel);
        ++count;
    }
    ASSERT_GT(count, 0u) << "no kernel runs on this machine, not even scalar";
}

}  // namespace crayon::test
