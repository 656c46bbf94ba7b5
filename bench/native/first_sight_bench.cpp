// How fast does a new text become ids? One pass each time, in a new thread with a new tokenizer and encoder, so that
// nothing is cached from the text; the pages of the tables are in memory (opening has read them), and the CPU's caches
// are filled with other data.
#include <benchmark/benchmark.h>

#include <ctime>
#include <thread>

#include "plan.h"

namespace crayon::bench {

namespace {

constexpr std::size_t kWalked = std::size_t{64} << 20;  // larger than the caches of the measured machines

void evict_caches(std::vector<std::uint8_t>& walked) {
    walked.resize(kWalked);
    for (std::size_t i = 0; i < walked.size(); i += 64) ++walked[i];
    benchmark::DoNotOptimize(walked.data());
}

// CPU time of this thread, which includes page faults but not other processes.
double cpu_seconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double seconds_of_one_pass(const Encoding& encoding, const std::string& kernel, const Text& text, std::vector<std::uint32_t>& ids,
                           std::vector<std::uint8_t>& walked) {
    double seconds = 0;
    std::thread([&] {
        const Tokenizer tokenizer = create_tokenizer(encoding.cartridge.get(), encoding.name, kernel);
        const Encoder encoder = create_encoder(tokenizer.get());
        evict_caches(walked);
        const double begin = cpu_seconds();
        for (std::size_t row = 0; row < text.rows(); ++row) encode_utf8(encoder.get(), text, row, ids.data());
        seconds = cpu_seconds() - begin;
    }).join();
    return seconds;
}

}  // namespace

void register_first_sight(const Plan& plan) {
    for (const Encoding& encoding : plan.encodings) {
        for (const Text& text : plan.texts) {
            for (const std::string& kernel : plan.kernels) {
                benchmark::RegisterBenchmark(
                    ("first-sight/" + text.name + "/" + encoding.name + "/" + kernel).c_str(),
                    [&encoding, &text, kernel](benchmark::State& state) {
                        std::vector<std::uint32_t> ids(text.size());
                        std::vector<std::uint8_t> walked;
                        for (auto _ : state) {
                            state.SetIterationTime(seconds_of_one_pass(encoding, kernel, text, ids, walked));
                        }
                        state.SetBytesProcessed(state.iterations() * text.size());
                    })
                    ->UseManualTime()
                    ->Iterations(5);
            }
        }
    }
}

}  // namespace crayon::bench
