#include "train/options.h"

#include "crayon/layout/cartridge.h"

namespace crayon::train {

u32 scanner_named(std::string_view name) {
    constexpr struct {
        std::string_view name;
        layout::Scanner scanner;
    } kScanners[] = {
        {"gpt2", layout::kGpt2},      {"cl100k", layout::kCl100k}, {"o200k", layout::kO200k},
        {"qwen2", layout::kQwen2},    {"tekken", layout::kTekken}, {"deepseek3", layout::kDeepseek3},
        {"none", layout::kNoScanner}, {"", layout::kNoScanner},    {"pattern", layout::kPatternScanner},
    };
    for (const auto& row : kScanners) {
        if (row.name == name) return row.scanner;
    }
    return 0;
}

}  // namespace crayon::train
