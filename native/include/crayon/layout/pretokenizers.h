// Pretokenizer names: a family (pretokenizers.def), "none" or "pattern".
#pragma once

#include <string_view>

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

struct NamedPretokenizer {
    const char* name;
    Pretokenizer number;
};
inline constexpr NamedPretokenizer kPretokenizers[] = {
#define CRAYON_PRETOKENIZER(name, constant, number, unicode, pattern) {#name, constant},
#define CRAYON_WORD_PRETOKENIZER(name, constant, number) {#name, constant},
#include "crayon/layout/pretokenizers.def"
#undef CRAYON_PRETOKENIZER
    {"none", kNoPretokenizer},
    {"pattern", kPatternPretokenizer},
};

// 0 for an unknown name.
constexpr std::uint32_t pretokenizer_named(std::string_view name) {
    for (const NamedPretokenizer& each : kPretokenizers) {
        if (each.name == name) return each.number;
    }
    return 0;
}

constexpr const char* name_of_pretokenizer(std::uint32_t number) {
    for (const NamedPretokenizer& each : kPretokenizers) {
        if (each.number == number) return each.name;
    }
    return "";
}

}  // namespace crayon::layout
