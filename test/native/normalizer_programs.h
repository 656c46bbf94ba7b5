// Sections of normalizer programs (cartridges/FORMAT.md §14) for tests, and charsmaps, written from their specification there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "handmade_cartridge.h"

namespace crayon::test {

struct ProgramStep {
    std::uint32_t kind;
    std::uint32_t flags = 0;
    std::string first = {}, second = {};
};

// Data that steps refer to lies at multiples of 64.
inline Bytes program_of(const std::vector<ProgramStep>& steps) {
    Bytes section(16 + 24 * steps.size());
    put32(section, 0, static_cast<std::uint32_t>(steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::size_t row = 16 + 24 * i;
        put32(section, row, steps[i].kind);
        put32(section, row + 4, steps[i].flags);
        std::size_t field = row + 8;
        for (const std::string* part : {&steps[i].first, &steps[i].second}) {
            if (!part->empty()) {
                section.resize((section.size() + 63) / 64 * 64);
                put32(section, field, static_cast<std::uint32_t>(section.size()));
                put32(section, field + 4, static_cast<std::uint32_t>(part->size()));
                section.insert(section.end(), part->begin(), part->end());
            }
            field += 8;
        }
    }
    return section;
}

using CharsmapRules = std::map<std::string, std::string>;

// A double array of the keys, none of which is empty. Every node gets the first free base.
inline std::string charsmap_of(const CharsmapRules& rules) {
    std::string texts;
    std::map<std::string, std::uint32_t> values;
    for (const auto& [key, text] : rules) {
        values[key] = static_cast<std::uint32_t>(texts.size());
        texts += text;
        texts += '\0';
    }
    std::map<std::string, std::set<std::uint8_t>> children = {{"", {}}};
    for (const auto& [key, text] : rules) {
        for (std::size_t i = 0; i < key.size(); ++i) {
            children[key.substr(0, i)].insert(static_cast<std::uint8_t>(key[i]));
            children[key.substr(0, i + 1)];
        }
        children[key].insert(0);
    }
    std::map<std::uint32_t, std::uint32_t> units = {{0, 0}};
    std::map<std::string, std::uint32_t> index_of = {{"", 0}};
    std::set<std::uint32_t> bases;
    for (const auto& child : children) {  // a prefix comes before the keys it begins
        const auto& prefix = child.first;
        const auto& labels = child.second;
        const std::uint32_t node = index_of.at(prefix);
        std::uint32_t base = 1;
        const auto is_free = [&] {
            if (bases.count(base)) return false;
            for (const std::uint8_t label : labels) {
                if (units.count(base ^ label)) return false;
            }
            return true;
        };
        while (!is_free()) ++base;
        bases.insert(base);
        units[node] |= (node ^ base) << 10 | (labels.count(0) ? 1u << 8 : 0);
        for (const std::uint8_t label : labels) {
            units[base ^ label] = label ? label : 1u << 31 | values.at(prefix);
            if (label) index_of[prefix + static_cast<char>(label)] = base ^ label;
        }
    }
    Bytes array(4 + 4 * (std::size_t{units.rbegin()->first} + 1));
    put32(array, 0, static_cast<std::uint32_t>(array.size() - 4));
    for (const auto& [index, unit] : units) put32(array, 4 + 4 * std::size_t{index}, unit);
    return std::string(array.begin(), array.end()) + texts;
}

}  // namespace crayon::test
