// The texts that the benchmarks run on, read from the folder that bench/texts/export.mjs writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::bench {

struct Text {
    std::string name;
    std::string bytes;                   // the rows without gaps, followed by 64 zero bytes
    std::vector<std::uint32_t> offsets;  // of the rows: count + 1. A text that is not a list of messages is one row
    std::vector<std::uint16_t> units;    // the same in UTF-16
    std::vector<std::uint32_t> unit_offsets;

    std::size_t size() const { return offsets.back(); }
    std::size_t rows() const { return offsets.size() - 1; }
    std::string_view row(std::size_t index) const {
        return std::string_view(bytes).substr(offsets[index], offsets[index + 1] - offsets[index]);
    }
};

// Every text of the folder, by name.
std::vector<Text> read_texts(const std::string& folder);

// The reference ids of a text; empty if the folder has none.
std::vector<std::uint32_t> read_reference(const std::string& folder, const std::string& text, const std::string& encoding);

}  // namespace crayon::bench
