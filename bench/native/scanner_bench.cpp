// How fast does text become pieces? The scanner alone, over the whole text at once, boundaries into a small buffer.
#include <benchmark/benchmark.h>

#include "plan.h"
#include "simd/kernel.h"

namespace crayon::bench {

namespace {

constexpr struct {
    const char* name;
    layout::Scanner scanner;
} kFamilies[] = {{"gpt2", layout::kGpt2},   {"cl100k", layout::kCl100k}, {"o200k", layout::kO200k},
                 {"qwen2", layout::kQwen2}, {"tekken", layout::kTekken}, {"deepseek3", layout::kDeepseek3}};

std::size_t scan_row(ScanFunction scan, const Text& text, std::size_t row) {
    u32 boundaries[1024];
    ScanState state;
    std::size_t pieces = 0;
    const u8* bytes = reinterpret_cast<const u8*>(text.bytes.data()) + text.offsets[row];
    const std::size_t size = text.offsets[row + 1] - text.offsets[row];
    while (const u32 found = scan(state, bytes, size, true, boundaries, 1024)) pieces += found;
    return pieces;
}

}  // namespace

void register_scanner(const Plan& plan) {
    for (const auto& family : kFamilies) {
        for (const Text& text : plan.texts) {
            // The scanner needs zero bytes after the text, but a row is followed by the next one.
            if (text.rows() > 1) continue;
            for (const std::string& kernel : plan.kernels) {
                const ScanFunction scan = kernel_named(kernel.data(), kernel.size())->scan(family.scanner);
                benchmark::RegisterBenchmark(("scan/" + text.name + "/" + family.name + "/" + kernel).c_str(),
                                             [&text, scan](benchmark::State& state) {
                                                 std::size_t pieces = 0;
                                                 for (auto _ : state) pieces = scan_row(scan, text, 0);
                                                 state.SetBytesProcessed(state.iterations() * text.size());
                                                 state.counters["bytes/piece"] = double(text.size()) / double(pieces);
                                             });
            }
        }
    }
}

}  // namespace crayon::bench
