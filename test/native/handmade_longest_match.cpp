#include "handmade_longest_match.h"

#include <initializer_list>
#include <string_view>

namespace crayon::test {

namespace {

using u32 = std::uint32_t;

Bytes words(std::initializer_list<u32> values, std::string_view after = {}) {
    Bytes bytes(4 * values.size());
    std::size_t at = 0;
    for (u32 value : values) put32(bytes, 4 * at++, value);
    bytes.insert(bytes.end(), after.begin(), after.end());
    return bytes;
}

constexpr u32 kTerminal = 1u << 9, kVacant = 256, kUnits = 768;
constexpr u32 unit(char label, u32 base) { return static_cast<std::uint8_t>(label) | kTerminal | base << 10; }

Bytes trie() {
    Bytes section(64 + 2 * 4 * kUnits);
    put32(section, 0, kUnits);
    put32(section, 4, 1);
    const auto put = [&](u32 at, u32 what, u32 value) {
        put32(section, 64 + 4 * at, what);
        put32(section, 64 + 4 * (kUnits + at), value);
    };
    for (u32 at = 0; at < kUnits; ++at) put(at, kVacant, 0);
    put(0, kVacant | 256 << 10, 0);
    put(256 ^ '?', unit('?', 0), 3);
    put(256 ^ 'a', unit('a', 512), 0);
    put(512 ^ 'b', unit('b', 0), 1);
    return section;
}

Bytes joined_bytes() {
    Bytes section(8192);
    section[32 * 'a' + 'b' / 8] = 1 << 'b' % 8;
    return section;
}

}  // namespace

HandmadeCartridge make_handmade_longest_match() {
    HandmadeCartridge made = make_handmade_slim_longest_match();
    made.sections.insert(made.sections.end() - 1, {{12, 1, trie()}, {15, 1, joined_bytes()}});
    return made;
}

HandmadeCartridge make_handmade_slim_longest_match() {
    HandmadeCartridge made;
    made.sections = {
        {1, 0, words({}, "{}")},
        {2, 1, words({2, 5, 2, 3})},
        {3, 1, words({1, 8, 0, 8, 5, 0x1000, 0, 1, 6, 0}, "handmade")},
        {4, 1, words({1, 3, 0, 3, 5, 1, 0}, "<x>")},
        {5, 1, words({0, 1, 3, 3, 4, 5})},
        {6, 1, words({}, "aab?a")},
        {16, 1, words({1, 4})},
    };
    return made;
}

}  // namespace crayon::test
