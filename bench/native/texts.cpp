#include "texts.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace crayon::bench {

namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The texts are well-formed UTF-8, because they come from JavaScript strings.
void append_utf16(std::string_view text, std::vector<std::uint16_t>& units) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])); };
        const std::uint32_t first = byte(i);
        if (first < 0x80) {
            units.push_back(static_cast<std::uint16_t>(first));
            i += 1;
        } else if (first < 0xE0) {
            units.push_back(static_cast<std::uint16_t>((first & 0x1F) << 6 | (byte(i + 1) & 0x3F)));
            i += 2;
        } else if (first < 0xF0) {
            units.push_back(static_cast<std::uint16_t>((first & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F)));
            i += 3;
        } else {
            const std::uint32_t point =
                ((first & 0x07) << 18 | (byte(i + 1) & 0x3F) << 12 | (byte(i + 2) & 0x3F) << 6 | (byte(i + 3) & 0x3F)) - 0x10000;
            units.push_back(static_cast<std::uint16_t>(0xD800 | point >> 10));
            units.push_back(static_cast<std::uint16_t>(0xDC00 | (point & 0x3FF)));
            i += 4;
        }
    }
}

Text make_text(std::string name, std::string bytes, bool rows) {
    Text text;
    text.name = std::move(name);
    text.offsets.push_back(0);
    text.unit_offsets.push_back(0);
    if (!rows) {
        text.bytes = std::move(bytes);
        text.offsets.push_back(static_cast<std::uint32_t>(text.bytes.size()));
        append_utf16(text.bytes, text.units);
        text.unit_offsets.push_back(static_cast<std::uint32_t>(text.units.size()));
    } else {
        for (std::size_t begin = 0; begin < bytes.size();) {
            const std::size_t end = bytes.find('\0', begin);
            const std::string_view row = std::string_view(bytes).substr(begin, end - begin);
            text.bytes.append(row);
            append_utf16(row, text.units);
            text.offsets.push_back(static_cast<std::uint32_t>(text.bytes.size()));
            text.unit_offsets.push_back(static_cast<std::uint32_t>(text.units.size()));
            if (end == std::string::npos) break;
            begin = end + 1;
        }
    }
    text.bytes.append(64, '\0');
    return text;
}

}  // namespace

std::vector<Text> read_texts(const std::string& folder) {
    std::vector<Text> texts;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::filesystem::path& path = entry.path();
        const bool rows = path.extension() == ".rows";
        if (rows || path.extension() == ".txt") texts.push_back(make_text(path.stem().string(), read_file(path), rows));
    }
    std::sort(texts.begin(), texts.end(), [](const Text& a, const Text& b) { return a.name < b.name; });
    return texts;
}

std::vector<std::uint32_t> read_reference(const std::string& folder, const std::string& text, const std::string& encoding) {
    const std::string bytes = read_file(std::filesystem::path(folder) / (text + "." + encoding + ".ids"));
    std::vector<std::uint32_t> ids(bytes.size() / sizeof(std::uint32_t));
    if (!ids.empty()) std::memcpy(ids.data(), bytes.data(), ids.size() * sizeof(std::uint32_t));
    return ids;
}

}  // namespace crayon::bench
