// Threads that work at the jobs of a pool: the calling one, and others.
#pragma once

#include <thread>
#include <vector>

#include "clock.h"
#include "parallel/pool.h"

namespace crayon::lopt {

class Threads {
public:
    // `slice_bytes`: see EncodeJob::start.
    Threads(unsigned count, std::uint64_t slice_bytes) : pool_(count, slice_bytes) {
        for (; count > 1; --count) {
            others_.emplace_back([this] {
                PoolJob* job;
                u32 jobs;
                while (pool_.work(&job, 1, &jobs).ok()) continue;  // nothing is reported: the jobs are the caller's
            });
        }
    }
    ~Threads() {
        pool_.close();
        for (std::thread& thread : others_) thread.join();
    }

    // Encodes a job, as encodeBatch does it.
    void encode(EncodeJob& job) {
        if (!pool_.run(job).ok()) fail("a job");
    }

private:
    Pool pool_;
    std::vector<std::thread> others_;
};

}  // namespace crayon::lopt
