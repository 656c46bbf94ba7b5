// How long does a dependent load take on this machine? A random walk, one cache line per step, over memory of several
// sizes: probes of the tables cannot be faster than this, and virtual machines differ by a factor of ten.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "plan.h"

namespace crayon::bench {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kSteps = 100000;

// One cycle through all lines, in random order: each contains the offset of the next.
void link(char* memory, std::size_t bytes) {
    std::vector<std::uint32_t> order(bytes / kLine);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t next = order[(i + 1) % order.size()] * kLine;
        std::memcpy(memory + order[i] * kLine, &next, sizeof next);
    }
}

void run(benchmark::State& state, std::size_t bytes, [[maybe_unused]] bool large_pages) {
    const std::size_t reserved = std::max(bytes, kLargePage);
    char* memory = static_cast<char*>(std::aligned_alloc(kLargePage, reserved));
    if (!memory) {
        state.SkipWithError("out of memory");
        return;
    }
#if defined(__linux__)
    madvise(memory, reserved, large_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    link(memory, bytes);
    std::uint32_t at = 0;
    for (auto _ : state) {
        for (std::size_t step = 0; step < kSteps; ++step) std::memcpy(&at, memory + at, sizeof at);
        benchmark::DoNotOptimize(at);
    }
    state.counters["loads"] = benchmark::Counter(double(kSteps), benchmark::Counter::kIsIterationInvariantRate);
    std::free(memory);
}

}  // namespace

void register_memory() {
    for (const bool large_pages : {false, true}) {
        for (const std::size_t kilobytes : {256, 1024, 4096, 12288, 65536}) {
            const std::string name =
                std::string("memory/") + (large_pages ? "large-pages" : "small-pages") + "/" + std::to_string(kilobytes) + "KiB";
            benchmark::RegisterBenchmark(
                name.c_str(), [kilobytes, large_pages](benchmark::State& state) { run(state, kilobytes << 10, large_pages); });
        }
    }
}

}  // namespace crayon::bench
