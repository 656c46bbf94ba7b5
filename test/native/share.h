// How much of their work tests do: all of it, or the share set by CRAYON_TEST_SHARE, which `npm test` sets for each tier. Only
// the number of random cases and the density of exhaustive sweeps shrink; lists of sizes around block and window boundaries are
// always complete.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace crayon::test {

// Above 0, at most 1.
inline double share() {
    static const double share = [] {
        const char* const set = std::getenv("CRAYON_TEST_SHARE");
        const double wanted = set ? std::strtod(set, nullptr) : 1;
        const double taken = wanted > 0 && wanted < 1 ? wanted : 1;
        std::printf("share of the random cases: %g\n", taken);
        return taken;
    }();
    return share;
}

// How many of `cases` random cases to run, from the first: at least `fewest`, if covering each kind takes that many.
inline std::uint64_t sample(std::uint64_t cases, std::uint64_t fewest = 1) {
    return std::max(fewest, static_cast<std::uint64_t>(std::llround(static_cast<double>(cases) * share())));
}

// The number of occurrences that a test must exceed to be meaningful: `count` in a full run; far less in a sample, since rare
// events are unevenly distributed.
inline std::uint64_t at_least(std::uint64_t count) { return share() < 1 ? sample(count) / 8 : count; }

// And the maximum for something rare.
inline std::uint64_t at_most(std::uint64_t count) { return share() < 1 ? 2 * sample(count) + 2 : count; }

// Whether to run this step of an exhaustive sweep: all of them down to a share of a quarter, below it every second, third, ….
inline bool in_sweep(std::uint64_t step) {
    static const std::uint64_t stride = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0.25 / share()));
    return step % stride == 0;
}

// Likewise for all code points, in pages of 64: a thin sweep covers every fourth page of the most common scripts, and few of the
// nearly empty ones.
inline bool in_sweep_of_code_points(char32_t c) {
    const std::uint64_t page = c / 64;
    return c < 0x3000 ? in_sweep(4 * page) : c < 0x20000 ? in_sweep(page) : in_sweep(page) && (share() == 1 || page % 128 == 0);
}

}  // namespace crayon::test
