// How much faster do several threads encode a text than one? Jobs, warm: the same text again and again. One thread of a
// job should be as fast as the encoder (encode/…), and two nearly twice as fast. Time is wall time, so it needs a
// machine with idle cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <thread>

#include "plan.h"

namespace crayon::bench {

namespace {

// A pool with threads besides the calling one.
class Helpers {
public:
    explicit Helpers(unsigned count) {
        crayon_result result;
        crayon_pool_create(count + 1, &pool_, &result);
        for (; count > 0; --count) {
            threads_.emplace_back([this] {
                crayon_job* done[1];
                crayon_result status;
                while (crayon_pool_work(pool_, done, 1, &status) == CRAYON_OK) continue;
            });
        }
    }
    ~Helpers() {
        crayon_pool_close(pool_);
        for (std::thread& thread : threads_) thread.join();
        crayon_pool_release(pool_);
    }
    crayon_pool* pool() { return pool_; }

private:
    crayon_pool* pool_ = nullptr;
    std::vector<std::thread> threads_;
};

using Job = std::unique_ptr<crayon_job, Releaser<crayon_job_release>>;

Job run_job(crayon_pool* pool, crayon_tokenizer* tokenizer, const Text& text) {
    crayon_job* job = nullptr;
    crayon_result result;
    crayon_job_create(tokenizer, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0, &job, &result);
    crayon_job_set_rows(job, reinterpret_cast<const std::uint8_t*>(text.bytes.data()), text.offsets.data(),
                        static_cast<std::uint32_t>(text.rows()), &result);
    crayon_job_run(pool, job, &result);
    return Job(job);
}

void run(benchmark::State& state, const Encoding& encoding, const std::string& kernel, const Text& text, unsigned threads) {
    const Tokenizer tokenizer = create_tokenizer(encoding.cartridge.get(), encoding.name, kernel);
    Helpers helpers(threads - 1);
    std::vector<std::uint32_t> ids(text.size());
    const auto pass = [&] {
        const Job job = run_job(helpers.pool(), tokenizer.get(), text);
        crayon_result result;
        crayon_job_copy(job.get(), ids.data(), &result);
        ids.resize(crayon_job_token_count(job.get()));
    };
    pass();  // warms up
    if (ids != ids_of(create_encoder(tokenizer.get()).get(), text)) {
        state.SkipWithError("the ids are not those of the encoder");
        return;
    }
    for (auto _ : state) benchmark::DoNotOptimize(run_job(helpers.pool(), tokenizer.get(), text).get());
    state.SetBytesProcessed(state.iterations() * text.size());
}

}  // namespace

void register_parallel(const Plan& plan) {
    const unsigned most = std::max(2u, std::thread::hardware_concurrency());
    for (const Encoding& encoding : plan.encodings) {
        for (const Text& text : plan.texts) {
            for (unsigned threads = 1; threads <= most; threads *= 2) {
                const std::string& kernel = plan.kernels.front();
                const std::string name =
                    "parallel-" + std::to_string(threads) + "/" + text.name + "/" + encoding.name + "/" + kernel;
                const auto body = [&encoding, &text, kernel, threads](benchmark::State& state) {
                    run(state, encoding, kernel, text, threads);
                };
                benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime();
            }
        }
    }
}

}  // namespace crayon::bench
