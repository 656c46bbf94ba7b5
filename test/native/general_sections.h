// Sections of the general path (cartridges/FORMAT.md §15) and programs of its matcher, for tests, written from their
// specification.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "handmade_cartridge.h"

namespace crayon::test {

struct GeneralRow {
    std::uint32_t kind;
    std::uint32_t flags = 0;
    std::string first = {}, second = {};
};

struct GeneralSection {
    std::uint32_t model, flags = 0;
    std::vector<GeneralRow> normalizers = {}, pre_tokenizers = {};
    std::string prefix = {}, suffix = {};
    std::vector<std::uint32_t> merges = {};  // left, right, result
    std::vector<double> scores = {};
    std::uint32_t most_characters = 100;
};

// The bytes of a row of what a step of this kind refers to first.
inline std::uint32_t row_bytes_of(std::uint32_t kind) {
    return kind == 32 || kind == 36 || kind == 38 || kind == 39 ? 8 : kind == 41 ? 12 : 1;
}

inline std::string bytes_of(const std::vector<std::uint32_t>& words) {
    return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

inline Bytes general_of(const GeneralSection& made) {
    std::vector<GeneralRow> rows = made.normalizers;
    rows.insert(rows.end(), made.pre_tokenizers.begin(), made.pre_tokenizers.end());
    Bytes section(64 + 24 * rows.size());
    const auto part = [&section](std::size_t at, const std::string& bytes, std::uint32_t row_bytes = 1) {
        if (bytes.empty()) return;
        section.resize((section.size() + 7) / 8 * 8);
        put32(section, at, static_cast<std::uint32_t>(section.size()));
        put32(section, at + 4, static_cast<std::uint32_t>(bytes.size() / row_bytes));
        section.insert(section.end(), bytes.begin(), bytes.end());
    };
    put32(section, 0, made.model);
    put32(section, 4, made.flags);
    put32(section, 8, static_cast<std::uint32_t>(rows.size()));
    put32(section, 12, static_cast<std::uint32_t>(made.normalizers.size()));
    put32(section, 16, made.most_characters);
    part(32, made.prefix);
    part(40, made.suffix);
    part(48, bytes_of(made.merges), 12);
    part(56, {reinterpret_cast<const char*>(made.scores.data()), 8 * made.scores.size()}, 8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        put32(section, 64 + 24 * i, rows[i].kind);
        put32(section, 68 + 24 * i, rows[i].flags);
        part(72 + 24 * i, rows[i].first, row_bytes_of(rows[i].kind));
        part(80 + 24 * i, rows[i].second);
    }
    return section;
}

// A program: "a" is of class 1, "b" of class 2, all others of class 0.
struct RegexCode {
    std::vector<std::uint32_t> code;
    std::uint32_t flags = 0, registers = 0, places = 0, inner_places = 0;
    std::vector<std::uint32_t> sets = {2, 4, 7};
};

inline std::vector<std::uint32_t> words_of(const RegexCode& made) {
    const auto size = [](const std::vector<std::uint32_t>& words) { return static_cast<std::uint32_t>(words.size()); };
    const std::vector<std::uint32_t> runs = {0, 0, 'a', 1, 'b', 2, 'c', 0};
    const std::uint32_t end = 13 + size(made.code), sets = end + size(runs);
    std::vector<std::uint32_t> words = {
        sets + size(made.sets), made.flags, made.registers,  made.places, made.inner_places, 0, 3, 1, end,
        size(runs) / 2,         sets,       size(made.sets), end};
    for (const auto* part : {&made.code, &runs, &made.sets}) words.insert(words.end(), part->begin(), part->end());
    return words;
}

}  // namespace crayon::test
