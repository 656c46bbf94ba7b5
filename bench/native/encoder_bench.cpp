// How fast does text become ids, warm? One encoder, the same text repeatedly: UTF-8, UTF-16 (as JavaScript passes it) and
// counting only; messages are encoded one by one.
#include <benchmark/benchmark.h>

#include "plan.h"

namespace crayon::bench {

namespace {

using Work = std::uint32_t (*)(crayon_encoder*, const Text&, std::size_t row, std::uint32_t* ids);

std::uint32_t count_only(crayon_encoder* encoder, const Text& text, std::size_t row, std::uint32_t*) {
    return count_utf8(encoder, text, row);
}

void run(benchmark::State& state, const Encoding& encoding, const std::string& kernel, const Text& text, Work work) {
    const Tokenizer tokenizer = create_tokenizer(encoding.cartridge.get(), encoding.name, kernel);
    const Encoder encoder = create_encoder(tokenizer.get());
    std::vector<std::uint32_t> ids(text.size());
    std::size_t tokens = 0;
    const auto pass = [&] {
        tokens = 0;
        for (std::size_t row = 0; row < text.rows(); ++row) tokens += work(encoder.get(), text, row, ids.data());
        benchmark::ClobberMemory();
    };
    pass();  // warms up
    for (auto _ : state) pass();
    state.SetBytesProcessed(state.iterations() * text.size());
    state.SetItemsProcessed(state.iterations() * text.rows());
    state.counters["bytes/token"] = double(text.size()) / double(tokens);
}

}  // namespace

void register_encoder(const Plan& plan) {
    const struct {
        const char* name;
        Work work;
    } operations[] = {{"encode", encode_utf8}, {"encode-utf16", encode_utf16}, {"count", count_only}};
    for (const auto& operation : operations) {
        for (const Encoding& encoding : plan.encodings) {
            for (const Text& text : plan.texts) {
                for (const std::string& kernel : plan.kernels) {
                    const std::string name = std::string(operation.name) + "/" + text.name + "/" + encoding.name + "/" + kernel;
                    benchmark::RegisterBenchmark(name.c_str(),
                                                 [&encoding, &text, kernel, work = operation.work](benchmark::State& state) {
                                                     run(state, encoding, kernel, text, work);
                                                 });
                }
            }
        }
    }
}

}  // namespace crayon::bench
