// Reads the tables of a section by their description in cartridges/FORMAT.md, in the simplest way, and reports the rule that a
// table breaks. Shares nothing with the builders: the formulas and bit positions are repeated here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "handmade_cartridge.h"

namespace crayon::test {

inline constexpr std::uint32_t kNoId = 0xFFFFFFFF;

// Words of a key, little-endian, at least `count` of them.
inline std::vector<std::uint64_t> key_words(std::string_view key, std::size_t count) {
    std::vector<std::uint64_t> words(std::max(count, (key.size() + 7) / 8));
    for (std::size_t i = 0; i < key.size(); ++i) {
        words[i / 8] |= std::uint64_t{static_cast<std::uint8_t>(key[i])} << 8 * (i % 8);
    }
    return words;
}

inline std::uint64_t folded(std::uint64_t x, int shift) { return x ^ x >> shift; }

inline std::uint64_t hash_of_word(std::uint64_t word, std::uint64_t length, std::uint64_t seed) {
    return folded(((word ^ seed) + length * 0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15, 32);
}

// For a token, by the class of its length.
inline std::uint64_t hash_of_token(std::string_view token, std::uint64_t seed) {
    const std::uint64_t length = token.size();
    if (length <= 8) return hash_of_word(key_words(token, 1)[0], length, seed);
    if (length <= 24) {
        const auto w = key_words(token, 3);
        const std::uint64_t x =
            (w[0] ^ seed) * 0x9E3779B97F4A7C15 + (w[1] ^ seed >> 7) * 0xC2B2AE3D27D4EB4F + (w[2] + length) * 0x165667B19E3779F9;
        return folded(folded(x, 29) * 0xD6E8FEB86659FD93, 32);
    }
    std::uint64_t state = seed + length * 0xC2B2AE3D27D4EB4F;
    for (std::uint64_t word : key_words(token, 0)) state = folded((state ^ word) * 0x9E3779B97F4A7C15, 29);
    return folded(state * 0xD6E8FEB86659FD93, 32);
}

inline std::uint32_t slot_of_hash(std::uint64_t hash, const std::uint8_t* pilots, std::uint64_t bucket_count,
                                  std::uint64_t slot_count) {
    const std::uint64_t pilot = pilots[(hash >> 32) * bucket_count >> 32];
    return static_cast<std::uint32_t>((hash * (pilot * 0x9E3779B2 + 1) & 0xFFFFFFFF) * slot_count >> 32);
}

// A PerfectHash section: its slots as byte strings.
struct HashTable {
    std::string broken;  // the first broken rule; empty if all hold
    std::uint64_t seed = 0;
    std::uint32_t key_count = 0;
    std::vector<std::uint8_t> pilots;
    std::vector<Bytes> slots;

    const Bytes& at(std::uint64_t hash) const { return slots[slot_of_hash(hash, pilots.data(), pilots.size(), slots.size())]; }
};

inline HashTable read_hash_table(const Bytes& section, std::uint32_t entry_bytes) {
    HashTable table;
    if (section.size() < 64) return table.broken = "shorter than its header", table;
    table.seed = get64(section, 0);
    table.key_count = get32(section, 8);
    const std::size_t buckets = get32(section, 12), slots = get32(section, 16);
    const std::size_t entries = (64 + buckets + 63) / 64 * 64;
    if (get32(section, 20) != entry_bytes) return table.broken = "entry_bytes", table;
    if (buckets < 1 || slots < 1 || slots < table.key_count) return table.broken = "counts", table;
    if (section.size() != entries + slots * entry_bytes) return table.broken = "length", table;
    for (std::size_t at = 24; at < 64; ++at) {
        if (section[at] != 0) return table.broken = "reserved bytes", table;
    }
    for (std::size_t at = 64 + buckets; at < entries; ++at) {
        if (section[at] != 0) return table.broken = "padding", table;
    }
    table.pilots.assign(section.begin() + 64, section.begin() + 64 + static_cast<std::ptrdiff_t>(buckets));
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const auto begin = section.begin() + static_cast<std::ptrdiff_t>(entries + slot * entry_bytes);
        table.slots.emplace_back(begin, begin + entry_bytes);
    }
    return table;
}

// A DoubleArray section: every key that a walk from the root can find, with its value (0 without values).
struct Trie {
    std::string broken;
    std::map<std::string, std::uint32_t> keys;
    std::size_t node_count = 0;  // without the root
    std::size_t unit_count = 0;
};

inline Trie read_trie(const Bytes& section) {
    Trie trie;
    if (section.size() < 64) return trie.broken = "shorter than its header", trie;
    const std::size_t count = trie.unit_count = get32(section, 0);
    const bool has_values = get32(section, 4) == 1;
    if (count == 0 || count % 256 != 0 || count > std::size_t{1} << 22) return trie.broken = "unit_count", trie;
    if (get32(section, 4) > 1) return trie.broken = "has_values", trie;
    if (section.size() != 64 + 4 * count * (has_values ? 2 : 1)) return trie.broken = "length", trie;
    for (std::size_t at = 8; at < 64; ++at) {
        if (section[at] != 0) return trie.broken = "reserved bytes", trie;
    }
    auto unit = [&](std::size_t i) { return get32(section, 64 + 4 * i); };
    auto value = [&](std::size_t i) { return has_values ? get32(section, 64 + 4 * (count + i)) : 0; };

    std::vector<bool> reached(count), base_used(count);
    struct Walk {
        std::size_t at;
        std::string key;
    };
    std::vector<Walk> open = {{0, ""}};
    reached[0] = true;
    if ((unit(0) & 0x3FF) != 256) return trie.broken = "the root has a label or is terminal", trie;
    while (!open.empty()) {
        const Walk walk = open.back();
        open.pop_back();
        const std::size_t base = unit(walk.at) >> 10;
        if ((base | 255) >= count) return trie.broken = "a base outside the units", trie;
        std::size_t children = 0;
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::size_t child = base ^ byte;
            if ((unit(child) & 0x1FF) != byte) continue;
            if (reached[child]) return trie.broken = "a unit with two parents", trie;
            reached[child] = true;
            ++children;
            ++trie.node_count;
            const std::string key = walk.key + static_cast<char>(byte);
            if (unit(child) >> 9 & 1) {
                trie.keys[key] = value(child);
            } else if (value(child) != 0) {
                return trie.broken = "a value where no key ends", trie;
            }
            open.push_back({child, key});
        }
        if (children == 0 && base != 0) return trie.broken = "a base without children", trie;
        if (children > 0 && (base < 256 || base_used[base])) return trie.broken = "a base in block 0 or used twice", trie;
        base_used[base] = true;
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (reached[i]) continue;
        if (unit(i) != 256) return trie.broken = "a unit that is neither vacant nor reached", trie;
        if (value(i) != 0) return trie.broken = "a value in a vacant unit", trie;
    }
    return trie;
}

}  // namespace crayon::test
