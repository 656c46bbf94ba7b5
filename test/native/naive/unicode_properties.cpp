#include "naive/unicode_properties.h"

#include <vector>

namespace crayon::naive {
namespace {

constexpr std::string_view kNames[] = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",         "Nl", "No",
                                       "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc",         "Sk", "So",
                                       "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn", "White_Space"};

struct Run {
    std::string_view property;
    char32_t first, last;
};

constexpr Run kRuns[] = {
#define RUN(property, first, last) {#property, first, last},
#include "naive/unicode_ranges.inc"
};

struct Folding {
    char32_t from, to;
};

constexpr Folding kFoldings[] = {
#define FOLD(from, to) {from, to},
#include "naive/unicode_ranges.inc"
};

std::vector<Properties> every_code_point() {
    std::vector<Properties> table(0x110000, 0);
    for (const Run& run : kRuns) {
        for (char32_t c = run.first; c <= run.last; ++c) table[c] |= properties_named(run.property);
    }
    return table;
}

}  // namespace

Properties properties_named(std::string_view name) {
    Properties bits = 0, bit = 1;
    for (std::string_view known : kNames) {
        if (known == name || (name.size() == 1 && known.size() == 2 && known[0] == name[0])) bits |= bit;
        bit <<= 1;
    }
    return bits;
}

Properties properties_of(char32_t code_point) {
    static const std::vector<Properties> table = every_code_point();
    return table.at(code_point);
}

char32_t fold(char32_t code_point) {
    for (const Folding& folding : kFoldings) {
        if (folding.from == code_point) return folding.to;
    }
    return code_point;
}

}  // namespace crayon::naive
