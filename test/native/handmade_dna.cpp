#include "handmade_dna.h"

#include <string>

namespace crayon::test {

namespace {

using u32 = std::uint32_t;

Bytes words(const std::vector<u32>& values, std::string_view after = {}) {
    Bytes bytes(4 * values.size());
    std::size_t at = 0;
    for (const u32 value : values) put32(bytes, 4 * at++, value);
    bytes.insert(bytes.end(), after.begin(), after.end());
    return bytes;
}

Bytes rules_and_ids() {
    const u32 none = 0xFFFFFFFF;
    // unit, k, digits; first_kmer_id, kmers, start_count; pad_id, side; four policies; before, after
    Bytes section = words({2, 2, 4, none, 16, 0, 2, 1, 2, 2, 2, 0, 1, 0}, std::string("ACGT\0\0\0\0", 8));
    std::vector<u32> ids(256, none);
    ids['A'] = 0;
    ids['C'] = 1;
    for (u32 id = 4; id < 20; ++id) ids.push_back(id);
    ids.push_back(3);
    const Bytes after = words(ids);
    section.insert(section.end(), after.begin(), after.end());
    return section;
}

}  // namespace

HandmadeCartridge make_handmade_dna() {
    std::string tokens = "AC?";
    std::vector<u32> offsets = {0, 1, 2, 3, 3};
    for (const char a : std::string("ACGT")) {
        for (const char b : std::string("ACGT")) {
            tokens += {a, b};
            offsets.push_back(static_cast<u32>(tokens.size()));
        }
    }
    HandmadeCartridge made;
    made.sections = {
        {1, 0, words({}, "{}")},
        {2, 1, words({3, 20, 2, 2})},
        {3, 1, words({1, 8, 0, 8, 5, 0x1000, 0, 1, 20, 0}, "handmade")},
        {4, 1, words({1, 3, 0, 3, 3, 1, 0}, "<s>")},
        {5, 1, words(offsets)},
        {6, 1, words({}, tokens)},
        {17, 1, rules_and_ids()},
    };
    return made;
}

}  // namespace crayon::test
