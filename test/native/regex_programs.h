// Programs of the backtracking matcher that lib/vocabularies/patterns wrote, with texts whose parts npm tokenizers gave.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace crayon::test {

struct RegexProgram {
    const char* pattern;
    const char* text;
    const char* parts;
    std::vector<std::uint32_t> words;
};

inline const std::vector<RegexProgram>& regex_programs() {
    static const std::vector<RegexProgram> all = {
#include "regex_programs.inc"
    };
    return all;
}

inline const RegexProgram& regex_program(std::string_view pattern) {
    for (const RegexProgram& each : regex_programs()) {
        if (each.pattern == pattern) return each;
    }
    std::abort();
}

}  // namespace crayon::test
