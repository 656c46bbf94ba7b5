// How fast does text become pieces? The scanner alone, over the whole text at once, boundaries into a small buffer.
#include <benchmark/benchmark.h>

#include "plan.h"
#include "simd/kernel.h"

namespace crayon::bench {

namespace {

ScanFunction scan_of(const Kernel& kernel, const std::string& scanner) {
    if (scanner == "gpt2") return kernel.scan(layout::kGpt2);
    if (scanner == "cl100k") return kernel.scan(layout::kCl100k);
    if (scanner == "o200k") return kernel.scan(layout::kO200k);
    return nullptr;
}

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
    std::vector<std::string> done;
    for (const Encoding& encoding : plan.encodings) {
        bool again = false;
        for (const std::string& scanner : done) again |= scanner == encoding.scanner;
        if (again) continue;
        done.push_back(encoding.scanner);
        for (const Text& text : plan.texts) {
            // The scanner needs zero bytes after the text, but a row is followed by the next one.
            if (text.rows() > 1) continue;
            for (const std::string& kernel : plan.kernels) {
                const ScanFunction scan = scan_of(*kernel_named(kernel.data(), kernel.size()), encoding.scanner);
                if (!scan) continue;
                benchmark::RegisterBenchmark(("scan/" + text.name + "/" + encoding.scanner + "/" + kernel).c_str(),
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
