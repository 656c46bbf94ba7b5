// The clocks of these measurements, and how they end when something is wrong.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace crayon::lopt {

class Clock {
public:
    double nanoseconds() const {
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// CPU time of this thread, if the system provides it, so that other processes do not count. Reading it takes about 100 ns.
class CpuClock {
public:
    double nanoseconds() const { return now() - begin_; }

private:
    static double now() {
#ifdef CLOCK_THREAD_CPUTIME_ID
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
#else
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
    }

    const double begin_ = now();
};

[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

}  // namespace crayon::lopt
