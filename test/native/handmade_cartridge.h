// A small valid cartridge, written section by section with the simplest code that follows cartridges/FORMAT.md, so that
// a test can damage any byte of it and update the checksum. Shares no code with the engine's builders, writer or
// checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::test {

using Bytes = std::vector<std::uint8_t>;

// Overwrites little-endian integers in place.
void put16(Bytes& bytes, std::size_t at, std::uint16_t value);
void put32(Bytes& bytes, std::size_t at, std::uint32_t value);
void put64(Bytes& bytes, std::size_t at, std::uint64_t value);
std::uint32_t get32(const Bytes& bytes, std::size_t at);
std::uint64_t get64(const Bytes& bytes, std::size_t at);

struct HandmadeSection {
    std::uint32_t id;
    std::uint32_t flags;
    Bytes bytes;
};

struct HandmadeCartridge {
    std::vector<HandmadeSection> sections;

    HandmadeSection& section(std::uint32_t id);
    void remove(std::uint32_t id);
    // The file: header, table, the sections in their order, and the checksum.
    Bytes file() const;
};

// The 256 bytes, then merges: 256 "ab", 257 "abab", 258 "ab" × 4, 259 "ab" × 8, 260 "ab" × 16, 261 a hole, 262 "he", and those
// that involve the two bytes of é: 263 A9 "he" and 265 " " C3, which are crossings, and 264 "é". Views "handmade" (gpt2, special
// <|end|> 266) and "other" (cl100k, special <|end|> 266, ordinary <|fim|> 267).
HandmadeCartridge make_handmade_cartridge();

// The same as a slim file: section 14 instead of 5–13.
HandmadeCartridge make_handmade_slim();

inline constexpr std::uint32_t kHandmadeTokens = 266;
inline constexpr std::uint32_t kHandmadeLongest = 32;

// Updates the checksum of the file.
void seal(Bytes& file);
std::uint64_t naive_checksum(const Bytes& file);

// A section of a file, according to its table.
struct SectionEntry {
    std::uint32_t id;
    std::size_t row;  // of the table, in bytes from the start of the file
    std::size_t offset;
    std::size_t length;
};
std::vector<SectionEntry> section_entries(const Bytes& file);
SectionEntry entry_of(const Bytes& file, std::uint32_t id);

}  // namespace crayon::test
