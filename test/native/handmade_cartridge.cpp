#include "handmade_cartridge.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kNone = 0xFFFFFFFF;

void add32(Bytes& bytes, u32 value) {
    bytes.resize(bytes.size() + 4);
    put32(bytes, bytes.size() - 4, value);
}
void add64(Bytes& bytes, u64 value) {
    bytes.resize(bytes.size() + 8);
    put64(bytes, bytes.size() - 8, value);
}
void add(Bytes& bytes, std::string_view text) { bytes.insert(bytes.end(), text.begin(), text.end()); }
void pad(Bytes& bytes) { bytes.resize((bytes.size() + 63) / 64 * 64); }

// The hashes of FORMAT.md §5.
constexpr u64 kA = 0x9E3779B97F4A7C15, kB = 0xC2B2AE3D27D4EB4F, kC = 0x165667B19E3779F9, kD = 0xD6E8FEB86659FD93;
u64 fold(u64 x, int shift) { return x ^ (x >> shift); }

std::vector<u64> words(std::string_view key) {
    std::vector<u64> result((key.size() + 7) / 8);
    for (std::size_t i = 0; i < key.size(); ++i) result[i / 8] |= u64(std::uint8_t(key[i])) << (i % 8 * 8);
    return result;
}
u64 hash8(u64 word, u32 length, u64 seed) { return fold(((word ^ seed) + length * kB) * kA, 32); }
u64 hash24(std::vector<u64> w, u32 length, u64 seed) {
    w.resize(3);
    return fold(fold((w[0] ^ seed) * kA + (w[1] ^ (seed >> 7)) * kB + (w[2] + length) * kC, 29) * kD, 32);
}
u64 hash_long(const std::vector<u64>& w, u32 length, u64 seed) {
    u64 state = seed + length * kB;
    for (u64 word : w) state = fold((state ^ word) * kA, 29);
    return fold(state * kD, 32);
}

struct HashKey {
    u64 hash;
    Bytes entry;
};

// Assigns each bucket, largest first, the lowest pilot that maps its keys to free slots.
Bytes perfect_hash(u64 seed, const std::vector<HashKey>& keys, u32 bucket_count, u32 slot_count, const Bytes& empty) {
    std::vector<std::vector<const HashKey*>> buckets(bucket_count);
    for (const HashKey& key : keys) buckets[((key.hash >> 32) * bucket_count) >> 32].push_back(&key);
    std::vector<u32> order(bucket_count);
    for (u32 i = 0; i < bucket_count; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return buckets[a].size() > buckets[b].size(); });
    std::vector<const HashKey*> slots(slot_count);
    Bytes pilots(bucket_count);
    for (u32 bucket : order) {
        u32 pilot = 0;
        for (;; ++pilot) {
            if (pilot == 256) std::abort();  // does not happen with the sizes below
            std::vector<u32> taken;
            for (const HashKey* key : buckets[bucket]) {
                const u32 spread = u32(key->hash) * (pilot * 0x9E3779B2u + 1);
                const u32 slot = u32((u64{spread} * slot_count) >> 32);
                if (slots[slot] || std::count(taken.begin(), taken.end(), slot)) break;
                taken.push_back(slot);
            }
            if (taken.size() < buckets[bucket].size()) continue;
            for (std::size_t i = 0; i < taken.size(); ++i) slots[taken[i]] = buckets[bucket][i];
            break;
        }
        pilots[bucket] = std::uint8_t(pilot);
    }
    Bytes section;
    add64(section, seed);
    add32(section, u32(keys.size()));
    add32(section, bucket_count);
    add32(section, slot_count);
    add32(section, u32(empty.size()));
    section.resize(64);
    section.insert(section.end(), pilots.begin(), pilots.end());
    pad(section);
    for (const HashKey* key : slots) {
        const Bytes& entry = key ? key->entry : empty;
        section.insert(section.end(), entry.begin(), entry.end());
    }
    return section;
}

struct Vocabulary {
    std::vector<std::string> tokens;
    std::vector<std::pair<u32, u32>> splits;
};

Vocabulary vocabulary() {
    Vocabulary v;
    auto merge = [&](u32 left, u32 right) {
        v.tokens.push_back(v.tokens[left] + v.tokens[right]);
        v.splits.push_back({left, right});
    };
    for (u32 byte = 0; byte < 256; ++byte) {
        v.tokens.push_back(std::string(1, char(byte)));
        v.splits.push_back({byte, byte});
    }
    merge('a', 'b');
    for (u32 id = 256; id < 260; ++id) merge(id, id);
    v.tokens.push_back("");
    v.splits.push_back({261, 261});
    merge('h', 'e');
    merge(0xA9, 262);  // the end of é with the following text,
    merge(0xC3, 0xA9);
    merge(' ', 0xC3);  // and its beginning with the text before
    return v;
}

Bytes piece_table(const Vocabulary& v, u64 seed, std::size_t least, std::size_t most, u32 bucket_count, u32 slot_count) {
    std::vector<HashKey> keys;
    for (u32 id = 0; id < v.tokens.size(); ++id) {
        const std::string& token = v.tokens[id];
        const u32 length = u32(token.size());
        if (length < least || length > most) continue;
        std::vector<u64> w = words(token);
        HashKey key;
        if (most > 24) {
            key.hash = hash_long(w, length, seed);
            add32(key.entry, id);
        } else {
            key.hash = most > 8 ? hash24(w, length, seed) : hash8(w[0], length, seed);
            w.resize(most / 8);
            for (u64 word : w) add64(key.entry, word);
            add32(key.entry, id);
            add32(key.entry, length);
        }
        keys.push_back(key);
    }
    return perfect_hash(seed, keys, bucket_count, slot_count, most > 24 ? Bytes(4, 0xFF) : Bytes(most + 8));
}

Bytes pair_table(const Vocabulary& v, u64 seed) {
    std::vector<HashKey> keys;
    for (u32 id = 0; id < v.tokens.size(); ++id) {
        if (v.splits[id].first == id) continue;
        HashKey key;
        key.hash = hash8(v.splits[id].first | u64{v.splits[id].second} << 32, 0, seed);
        add32(key.entry, id | u32(key.hash >> 53) << 21);
        keys.push_back(key);
    }
    return perfect_hash(seed, keys, 4, 16, Bytes(4, 0xFF));
}

bool continues(char byte) { return (byte & 0xC0) == 0x80; }

// Whether a half of a split is only the end, or only the beginning, of a character.
bool is_end(const std::string& half) { return std::all_of(half.begin(), half.end(), continues); }
bool is_beginning(const std::string& half) {
    const auto first = std::uint8_t(half[0]);
    const std::size_t whole = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return half.size() < whole && std::all_of(half.begin() + 1, half.end(), continues);
}

Bytes crossings(const Vocabulary& v) {
    Bytes section(4);
    for (u32 id = 0; id < v.tokens.size(); ++id) {
        if (v.splits[id].first == id) continue;
        const std::string &left = v.tokens[v.splits[id].first], &right = v.tokens[v.splits[id].second];
        if (!continues(right[0]) && (is_end(left) || is_beginning(right))) add32(section, id);
    }
    put32(section, 0, u32(section.size() / 4 - 1));
    return section;
}

// Every node with children gets its own 256 units.
Bytes trie(const Vocabulary& v) {
    struct Node {
        std::map<std::uint8_t, Node> children;
        u32 id = kNone;
    };
    Node root;
    for (u32 id = 0; id < v.tokens.size(); ++id) {
        if (v.tokens[id].empty()) continue;
        Node* node = &root;
        for (char byte : v.tokens[id]) node = &node->children[std::uint8_t(byte)];
        node->id = id;
    }
    std::vector<u32> units(256, 256), values(256, 0);
    std::function<void(const Node&, u32)> add_children = [&](const Node& node, u32 at) {
        if (node.children.empty()) return;
        const u32 base = u32(units.size());
        units.resize(base + 256, 256);
        values.resize(base + 256, 0);
        units[at] |= base << 10;
        for (const auto& [byte, child] : node.children) {
            const u32 to = base ^ byte;
            units[to] = byte | (child.id != kNone ? 1u << 9 : 0);
            values[to] = child.id != kNone ? child.id : 0;
            add_children(child, to);
        }
    };
    add_children(root, 0);
    Bytes section;
    add32(section, u32(units.size()));
    add32(section, 1);
    section.resize(64);
    for (u32 unit : units) add32(section, unit);
    for (u32 value : values) add32(section, value);
    return section;
}

// `sorted`: the rows of each view's added tokens, sorted by their bytes.
Bytes rows_and_strings(const std::vector<std::vector<u32>>& rows, const std::string& strings,
                       const std::vector<u32>& sorted = {}) {
    Bytes section;
    add32(section, u32(rows.size()));
    add32(section, u32(strings.size()));
    for (const auto& row : rows)
        for (u32 field : row) add32(section, field);
    for (u32 row : sorted) add32(section, row);
    add(section, strings);
    return section;
}

}  // namespace

void put16(Bytes& bytes, std::size_t at, std::uint16_t value) {
    for (int i = 0; i < 2; ++i) bytes.at(at + i) = std::uint8_t(value >> 8 * i);
}
void put32(Bytes& bytes, std::size_t at, u32 value) {
    for (int i = 0; i < 4; ++i) bytes.at(at + i) = std::uint8_t(value >> 8 * i);
}
void put64(Bytes& bytes, std::size_t at, u64 value) {
    for (int i = 0; i < 8; ++i) bytes.at(at + i) = std::uint8_t(value >> 8 * i);
}
u32 get32(const Bytes& bytes, std::size_t at) {
    return bytes[at] | u32{bytes[at + 1]} << 8 | u32{bytes[at + 2]} << 16 | u32{bytes[at + 3]} << 24;
}
u64 get64(const Bytes& bytes, std::size_t at) { return get32(bytes, at) | u64{get32(bytes, at + 4)} << 32; }

HandmadeSection& HandmadeCartridge::section(u32 id) {
    for (HandmadeSection& section : sections)
        if (section.id == id) return section;
    std::abort();
}

void HandmadeCartridge::remove(u32 id) {
    std::erase_if(sections, [&](const HandmadeSection& section) { return section.id == id; });
}

Bytes HandmadeCartridge::file() const {
    Bytes file(64 + 16 * sections.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
        pad(file);
        put32(file, 64 + 16 * i, sections[i].id);
        put32(file, 68 + 16 * i, sections[i].flags);
        put32(file, 72 + 16 * i, u32(file.size()));
        put32(file, 76 + 16 * i, u32(sections[i].bytes.size()));
        file.insert(file.end(), sections[i].bytes.begin(), sections[i].bytes.end());
    }
    put32(file, 0, 0x59415243);
    put32(file, 4, 3);
    put16(file, 12, 9);  // minor
    put16(file, 14, std::uint16_t(sections.size()));
    put64(file, 16, file.size());
    seal(file);
    return file;
}

HandmadeCartridge make_handmade_cartridge() {
    const Vocabulary v = vocabulary();
    HandmadeCartridge made;
    auto section = [&](u32 id, Bytes bytes) { made.sections.push_back({id, 1, std::move(bytes)}); };

    Bytes metadata;
    add(metadata, "{\"name\":\"handmade\"}");
    section(1, metadata);

    Bytes model;
    for (u32 field : {1u, u32(v.tokens.size()), kHandmadeLongest, 0u}) add32(model, field);
    section(2, model);

    section(3, rows_and_strings({{0, 8, 1, 0x1000, 0, 1, 267, 0}, {8, 5, 2, 0x1000, 1, 2, 268, 0}}, "handmadeother"));
    section(4, rows_and_strings({{0, 7, 266, 1}, {0, 7, 266, 1}, {7, 7, 267, 0}}, "<|end|><|fim|>", {0, 0, 1}));

    Bytes offsets, bytes;
    add32(offsets, 0);
    for (const std::string& token : v.tokens) {
        add(bytes, token);
        add32(offsets, u32(bytes.size()));
    }
    section(5, offsets);
    section(6, bytes);
    section(7, piece_table(v, 1, 1, 8, 128, 512));
    section(8, piece_table(v, 2, 9, 24, 2, 4));
    section(9, piece_table(v, 3, 25, ~std::size_t{0}, 1, 3));
    Bytes splits;
    for (auto [left, right] : v.splits) {
        add32(splits, left);
        add32(splits, right);
    }
    section(10, splits);
    section(11, pair_table(v, 4));
    section(12, trie(v));
    section(13, crossings(v));
    return made;
}

namespace {

// A ranking, exactly as in FORMAT.md §5.4.
struct Ranking {
    std::vector<u32> ids, uses;

    explicit Ranking(u32 count) : ids(count), uses(count) {
        for (u32 i = 0; i < count; ++i) ids[i] = i;
    }
    u32 index_of(u32 id) {
        u32 index = 0, first = 0;
        while (ids[index] != id) ++index;
        if (uses[id] == 2047) return index;
        while (uses[ids[first]] != uses[id]) ++first;
        std::swap(ids[index], ids[first]);
        ++uses[id];
        return index;
    }
};

u32 class_of(std::string_view token) {
    for (std::size_t i = token.size(); i-- > 0;) {
        const std::uint8_t c = std::uint8_t(token[i]);
        if (c >= 0x80 && c < 0xC0) continue;
        if (c == ' ') return 0;
        if (c >= 'a' && c <= 'z') return 1;
        if (c >= 'A' && c <= 'Z') return 2;
        if (c >= '0' && c <= '9') return 3;
        if (c < 0x80) return 4;
        const u32 last[] = {0xBF, 0xCF, 0xD7, 0xDF, 0xE0, 0xE3, 0xE9, 0xFF};
        u32 k = 0;
        while (c > last[k]) ++k;
        return 5 + k;
    }
    return 5;
}

struct RankingIndices {
    Bytes low;
    std::size_t bits = 0;

    void write(u32 index, Bytes& symbols) {
        u32 symbol = 0;
        while (symbol < 151 && least(symbol + 1) <= index) ++symbol;
        symbols.push_back(std::uint8_t(symbol));
        const u32 count = symbol < 16 ? 0 : symbol / 8 - 1, rest = index - least(symbol);
        for (u32 bit = 0; bit < count; ++bit, ++bits) {
            if (bits % 8 == 0) low.push_back(0);
            low.back() |= std::uint8_t((rest >> bit & 1) << bits % 8);
        }
    }
    static u32 least(u32 symbol) { return symbol < 16 ? symbol : (8 + symbol % 8) << (symbol / 8 - 1); }
};

Bytes merges(const Vocabulary& v) {
    const u32 count = u32(v.tokens.size());
    Bytes runs, run_bytes, left;
    std::vector<Bytes> right(13);
    Ranking left_ranking(count);
    std::vector<Ranking> right_rankings(13, Ranking(count));
    RankingIndices indices;
    u32 run_count = 0, token_bytes = 0, merge_count = 0;
    for (u32 id = 0; id < count; ++id) {
        const std::string& token = v.tokens[id];
        token_bytes += u32(token.size());
        const auto [a, b] = v.splits[id];
        if (a == id) {
            const std::size_t last = runs.size() - 12;
            const bool follows = run_count > 0 && get32(runs, last) + get32(runs, last + 4) == id;
            if (follows && get32(runs, last + 8) == token.size()) {
                put32(runs, last + 4, get32(runs, last + 4) + 1);
            } else {
                for (u32 field : {id, 1u, u32(token.size())}) add32(runs, field);
                ++run_count;
            }
            add(run_bytes, token);
        } else {
            const u32 side = class_of(v.tokens[a]);
            indices.write(left_ranking.index_of(a), left);
            indices.write(right_rankings[side].index_of(b), right[side]);
            ++merge_count;
        }
    }
    Bytes section;
    const u32 fields[] = {run_count, u32(run_bytes.size()), merge_count, u32(indices.low.size()), token_bytes};
    for (u32 field : fields) add32(section, field);
    for (const Bytes& symbols : right) add32(section, u32(symbols.size()));
    add64(section, 0);
    for (const Bytes& part : {runs, run_bytes, left}) section.insert(section.end(), part.begin(), part.end());
    for (const Bytes& symbols : right) section.insert(section.end(), symbols.begin(), symbols.end());
    section.insert(section.end(), indices.low.begin(), indices.low.end());
    return section;
}

}  // namespace

HandmadeCartridge make_handmade_slim() {
    HandmadeCartridge made = make_handmade_cartridge();
    for (u32 id = 5; id <= 13; ++id) made.remove(id);
    made.sections.push_back({14, 1, merges(vocabulary())});
    return made;
}

u64 naive_checksum(const Bytes& file) {
    u64 lane[32];
    for (u64 i = 0; i < 32; ++i) lane[i] = 0xA0761D6478BD642F * (2 * i + 1);
    Bytes padded = file;
    put64(padded, 24, 0);
    while (padded.size() % 256 != 0) padded.push_back(0);
    for (std::size_t at = 0; at < padded.size(); at += 8) {
        u64& each = lane[at / 8 % 32];
        each = (each & 0xFFFFFFFF) * 0xFFFEB81B + (each >> 32) + get64(padded, at);
    }
    u64 x = file.size();
    for (u64 i = 0; i < 32; ++i) {
        x = (x ^ lane[i]) * 0x9FB21C651E98DF25;
        x = x << 29 | x >> 35;
    }
    return x ^ x >> 32;
}

void seal(Bytes& file) { put64(file, 24, naive_checksum(file)); }

std::vector<SectionEntry> section_entries(const Bytes& file) {
    std::vector<SectionEntry> result;
    const u32 count = file[14] | file[15] << 8;
    for (std::size_t row = 64; row < 64 + 16 * count; row += 16) {
        result.push_back({get32(file, row), row, get32(file, row + 8), get32(file, row + 12)});
    }
    return result;
}

SectionEntry entry_of(const Bytes& file, u32 id) {
    for (const SectionEntry& entry : section_entries(file))
        if (entry.id == id) return entry;
    std::abort();
}

}  // namespace crayon::test
