#pragma once

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "parallel/pool.h"

namespace crayon::gpu::test {

// Threads in a pool, until it ends.
class Threads {
public:
    explicit Threads(u32 count) : pool(count) {
        for (u32 i = 0; i < count; ++i) {
            threads_.emplace_back([this] {
                PoolJob* done[8];
                u32 reported = 0;
                while (pool.work(done, 8, &reported).ok()) ADD_FAILURE() << "these jobs are not reported";
            });
        }
    }
    ~Threads() {
        pool.close();
        for (std::thread& thread : threads_) thread.join();
    }
    Pool pool;

private:
    std::vector<std::thread> threads_;
};

}  // namespace crayon::gpu::test
