// How fast does text become pieces? The pretokenizer alone, over the whole text at once, boundaries into a small buffer: the
// families' own pretokenizers, and `<family>-as-data`, the automaton that runs the same pattern out of a cartridge.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cartridge/section_checks.h"
#include "kernels/kernel.h"
#include "pattern_sections.h"
#include "plan.h"

namespace crayon::bench {

namespace {

constexpr struct {
    const char* name;
    layout::Pretokenizer pretokenizer;
} kFamilies[] = {{"gpt2", layout::kGpt2},   {"cl100k", layout::kCl100k}, {"o200k", layout::kO200k},
                 {"qwen2", layout::kQwen2}, {"tekken", layout::kTekken}, {"deepseek3", layout::kDeepseek3}};

// The benchmarks of one pattern.
constexpr const char* kAsData[] = {"gpt2", "cl100k", "o200k", "qwen2", "tekken"};

// The pattern of a family in a cartridge's format, which lives as long as the program.
const Patterns& as_data(const char* family) {
    static std::map<std::string, Patterns> opened;
    Patterns& patterns = opened[family];
    if (patterns.count > 0) return patterns;
    const test::Bytes section = test::section_of(test::automaton_named(family), layout::kAllPatternCuts);
    void* const kept = std::aligned_alloc(64, (section.size() + 63) / 64 * 64);
    std::memcpy(kept, section.data(), section.size());
    const layout::Pattern* first = nullptr;
    if (!read_patterns(static_cast<const u8*>(kept), {layout::kPattern, 0, section.size()}, &first).ok()) {
        std::fprintf(stderr, "the pattern of %s is refused\n", family);
        std::exit(1);
    }
    return patterns = Patterns(first, section.size());
}

std::size_t scan_row(ScanFunction scan, const Text& text, std::size_t row, const Patterns* patterns = nullptr) {
    u32 boundaries[1024];
    ScanState state;
    state.patterns = patterns;
    std::size_t pieces = 0;
    const u8* bytes = reinterpret_cast<const u8*>(text.bytes.data()) + text.offsets[row];
    const std::size_t size = text.offsets[row + 1] - text.offsets[row];
    while (const u32 found = scan(state, bytes, size, true, boundaries, 1024)) pieces += found;
    return pieces;
}

}  // namespace

void register_scanner(const Plan& plan) {
    for (const Text& text : plan.texts) {
        // The pretokenizer needs zero bytes after the text, but a row is followed by the next one.
        if (text.rows() > 1) continue;
        for (const std::string& kernel_name : plan.kernels) {
            const Kernel& kernel = *kernel_named(kernel_name.data(), kernel_name.size());
            const auto add = [&](const std::string& pretokenizer, ScanFunction scan, const Patterns* patterns) {
                benchmark::RegisterBenchmark(("scan/" + text.name + "/" + pretokenizer + "/" + kernel_name).c_str(),
                                             [&text, scan, patterns](benchmark::State& state) {
                                                 std::size_t pieces = 0;
                                                 for (auto _ : state) pieces = scan_row(scan, text, 0, patterns);
                                                 state.SetBytesProcessed(state.iterations() * text.size());
                                                 state.counters["bytes/piece"] = double(text.size()) / double(pieces);
                                             });
            };
            for (const auto& family : kFamilies) add(family.name, kernel.scan(family.pretokenizer), nullptr);
            for (const char* const family : kAsData) {
                add(std::string(family) + "-as-data", kernel.scan(layout::kPatternPretokenizer), &as_data(family));
            }
        }
    }
}

}  // namespace crayon::bench
