// The clock of these measurements, and how they end when something is wrong.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace crayon::lopt {

class Clock {
public:
    double nanoseconds() const {
        return static_cast<double>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count());
    }

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

}  // namespace crayon::lopt
