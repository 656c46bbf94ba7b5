// Threads that work at the jobs of a pool, as those of the addon do: the calling one hands over a text and sleeps.
#pragma once

#include <semaphore>
#include <thread>
#include <vector>

#include "parallel/pool.h"

namespace crayon::lopt {

class Threads {
public:
    // `slice_bytes`: see Job::start.
    Threads(unsigned count, std::uint64_t slice_bytes) : pool_(count, slice_bytes) {
        for (; count > 0; --count) {
            threads_.emplace_back([this] {
                Job* job;
                u32 jobs;
                while (pool_.work(&job, 1, &jobs).ok()) reported_.release();
            });
        }
    }
    ~Threads() {
        pool_.close();
        for (std::thread& thread : threads_) thread.join();
    }

    // Encodes a job and writes its ids.
    void encode(Job& job, u32* ids) {
        if (!pool_.submit(job, nullptr).ok()) return;
        reported_.acquire();
        if (pool_.submit(job, ids).ok()) reported_.acquire();
    }

private:
    Pool pool_;
    std::binary_semaphore reported_{0};
    std::vector<std::thread> threads_;
};

}  // namespace crayon::lopt
