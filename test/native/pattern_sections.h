// Pattern sections (cartridges/FORMAT.md §11) for tests: those of the families, and one of up to three digits. The three patterns
// of deepseek3 are "deepseek3, numbers", ideographs_and_kana() and "deepseek3, the rest".
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "handmade_cartridge.h"
#include "naive/unicode_properties.h"

namespace crayon::test {

struct Automaton {
    std::string_view name;
    std::uint32_t state_count, class_count;
    std::vector<std::uint32_t> ascii;                                     // the class of each ASCII character
    std::vector<std::pair<std::string_view, std::uint32_t>> by_property;  // the classes of the others, White_Space first
    std::vector<std::pair<std::uint32_t, std::uint32_t>> others;          // and of those that differ
    std::vector<std::uint32_t> table;  // by state, by class and the end of the text: a state, 0x8000
};

inline const Automaton kAutomata[] = {
#include "pattern_automata.inc"
};

// The section, written from its specification in cartridges/FORMAT.md.
inline Bytes make_section(const Automaton& automaton, std::uint32_t cuts) {
    std::vector<std::pair<naive::Properties, std::uint32_t>> by_property;
    for (const auto& [name, number] : automaton.by_property) by_property.emplace_back(naive::properties_named(name), number);
    const std::map<std::uint32_t, std::uint32_t> others(automaton.others.begin(), automaton.others.end());
    const auto class_of = [&](std::uint32_t code_point) -> std::uint32_t {
        if (code_point < 128) return automaton.ascii[code_point];
        if (const auto other = others.find(code_point); other != others.end()) return other->second;
        const naive::Properties properties = by_property.empty() ? 0 : naive::properties_of(code_point);
        for (const auto& [property, number] : by_property) {
            if (properties & property) return number;
        }
        return 0;
    };
    std::uint32_t row_length = 1;
    while (row_length <= automaton.class_count) row_length *= 2;
    std::vector<Bytes> blocks;
    std::map<Bytes, std::size_t> numbers;
    Bytes block_of;
    for (std::uint32_t first = 0; first < 0x110000; first += 128) {
        Bytes block;
        for (std::uint32_t i = 0; i < 128; ++i) block.push_back(static_cast<std::uint8_t>(class_of(first + i)));
        const std::size_t number = numbers.emplace(block, numbers.size()).first->second;
        if (number == blocks.size()) blocks.push_back(block);
        block_of.push_back(static_cast<std::uint8_t>(number));
        block_of.push_back(static_cast<std::uint8_t>(number >> 8));
    }
    Bytes section(64);
    const std::uint32_t head[] = {automaton.state_count, automaton.class_count, row_length,
                                  static_cast<std::uint32_t>(blocks.size()), cuts};
    for (std::size_t i = 0; i < 5; ++i) put32(section, 4 * i, head[i]);
    section.insert(section.end(), block_of.begin(), block_of.end());
    for (const Bytes& block : blocks) section.insert(section.end(), block.begin(), block.end());
    const std::size_t table = section.size();
    section.resize((table + 2 * automaton.state_count * row_length + 63) / 64 * 64);
    put32(section, 20, static_cast<std::uint32_t>(section.size()));
    for (std::uint32_t state = 0; state < automaton.state_count; ++state) {
        for (std::uint32_t input = 0; input <= automaton.class_count; ++input) {
            const std::uint32_t entry = automaton.table[state * (automaton.class_count + 1) + input];
            put16(section, table + 2 * (state * row_length + input),
                  static_cast<std::uint16_t>((entry & 0x7FFF) * row_length | (entry & 0x8000)));
        }
    }
    return section;
}

// The section of an automaton, built once and kept for the whole program: it asks for the class of every code point.
inline const Bytes& section_of(const Automaton& automaton, std::uint32_t cuts) {
    static std::map<std::pair<const Automaton*, std::uint32_t>, Bytes> made;
    const auto [entry, is_new] = made.try_emplace({&automaton, cuts});
    if (is_new) entry->second = make_section(automaton, cuts);
    return entry->second;
}

inline const Automaton& automaton_named(std::string_view name) {
    for (const Automaton& each : kAutomata) {
        if (each.name == name) return each;
    }
    std::abort();
}

// [一-龥\u3040-ゟ゠-ヿ]+: state 2 has read some.
inline const Automaton& ideographs_and_kana() {
    static const Automaton* const automaton = [] {
        auto* made = new Automaton{"ideographs and kana",
                                   3,
                                   2,
                                   std::vector<std::uint32_t>(128, 0),
                                   {},
                                   {},
                                   {0, 0, 0,  //
                                    0, 2, 0,  //
                                    0x8000, 0x8002, 0x8000}};
        for (std::uint32_t c = 0x4E00; c <= 0x9FA5; ++c) made->others.emplace_back(c, 1);
        for (std::uint32_t c = 0x3040; c <= 0x30FF; ++c) made->others.emplace_back(c, 1);
        return made;
    }();
    return *automaton;
}

// Up to three digits: state 2 has read one, 3 two, 4 three.
inline const Automaton& digits() {
    static const Automaton* const automaton = [] {
        auto* made = new Automaton{"digits",
                                   5,
                                   2,
                                   std::vector<std::uint32_t>(128, 0),
                                   {},
                                   {},
                                   {0, 0, 0,                 //
                                    0, 2, 0,                 //
                                    0x8000, 0x8003, 0x8000,  //
                                    0x8000, 0x8004, 0x8000,  //
                                    0x8000, 0x8000, 0x8000}};
        for (char digit = '0'; digit <= '9'; ++digit) made->ascii[static_cast<std::uint8_t>(digit)] = 1;
        return made;
    }();
    return *automaton;
}

}  // namespace crayon::test
