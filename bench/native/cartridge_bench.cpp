// How long does it take to open a cartridge that is in the system's file cache? `open` is the first time in a process: mapping
// and the whole validator; `open-again` is the registry returning an open cartridge.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "plan.h"

namespace crayon::bench {

namespace {

void run(benchmark::State& state, const std::string& path, std::uint32_t flags) {
    crayon_result result;
    for (auto _ : state) {
        crayon_cartridge* cartridge = nullptr;
        if (crayon_cartridge_open_file(path.data(), static_cast<std::uint32_t>(path.size()), flags, &cartridge, &result) !=
            CRAYON_OK) {
            state.SkipWithError(crayon_status_sentence(result.status));
            return;
        }
        crayon_cartridge_release(cartridge);
    }
    state.SetBytesProcessed(state.iterations() * std::filesystem::file_size(path));
}

}  // namespace

void register_cartridge(const Plan& plan) {
    const struct {
        const char* name;
        std::uint32_t flags;
    } ways[] = {{"open", 0}, {"open-without-checksum", CRAYON_OPEN_NO_CHECKSUM}, {"open-copy", CRAYON_OPEN_COPY}};
    for (const Encoding& encoding : plan.encodings) {
        // A copy of the file, because the plan keeps the cartridge itself open.
        const std::string copy = plan.texts_folder + "/" + encoding.name + ".copy.cray";
        std::filesystem::copy_file(encoding.path, copy, std::filesystem::copy_options::overwrite_existing);
        for (const auto& way : ways) {
            benchmark::RegisterBenchmark((std::string(way.name) + "/" + encoding.name).c_str(), [copy, flags = way.flags](
                                                                                                    benchmark::State& state) {
                run(state, copy, flags);
            })->Unit(benchmark::kMicrosecond);
        }
        benchmark::RegisterBenchmark(("open-again/" + encoding.name).c_str(), [path = encoding.path](benchmark::State& state) {
            run(state, path, 0);
        })->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace crayon::bench
