// How fast do ids become bytes, in one pass?
#include <benchmark/benchmark.h>

#include "plan.h"

namespace crayon::bench {

namespace {

void run(benchmark::State& state, const Encoding& encoding, const Text& text) {
    const Tokenizer tokenizer = create_tokenizer(encoding.cartridge.get(), encoding.name, "");
    const std::vector<std::uint32_t> ids = ids_of(create_encoder(tokenizer.get()).get(), text);
    const auto count = static_cast<std::uint32_t>(ids.size());
    std::vector<std::uint8_t> bytes(text.size());
    crayon_result result;
    for (auto _ : state) {
        crayon_decode(tokenizer.get(), ids.data(), count, 0, bytes.data(), static_cast<std::uint32_t>(bytes.size()), &result);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * text.size());
}

}  // namespace

void register_decode(const Plan& plan) {
    for (const Encoding& encoding : plan.encodings) {
        for (const Text& text : plan.texts) {
            if (text.rows() > 1) continue;
            benchmark::RegisterBenchmark(("decode/" + text.name + "/" + encoding.name).c_str(),
                                         [&](benchmark::State& state) { run(state, encoding, text); });
        }
    }
}

}  // namespace crayon::bench
