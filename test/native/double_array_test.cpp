// The builder of double arrays: walks find exactly the keys, and every rule of the format holds.
#include "tables/double_array_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate_text.h"
#include "read_sections.h"
#include "share.h"

namespace crayon::test::double_array_test {
namespace {

using KeyMap = std::map<std::string, u32>;  // in the builder's order: std::string compares bytes as unsigned

Status build(const KeyMap& keys, bool with_values, Bytes* section) {
    std::string bytes;
    std::vector<u32> starts, lengths, values;
    for (const auto& [key, value] : keys) {
        starts.push_back(static_cast<u32>(bytes.size()));
        lengths.push_back(static_cast<u32>(key.size()));
        values.push_back(value);
        bytes += key;
    }
    Buffer<u8> made;
    const SortedKeys sorted = {reinterpret_cast<const u8*>(bytes.data()), starts.data(), lengths.data(),
                               static_cast<u32>(keys.size())};
    u32 no_values = 0;  // a pointer for the empty set
    const Status status =
        build_double_array(sorted, with_values ? (values.empty() ? &no_values : values.data()) : nullptr, &made);
    section->assign(made.begin(), made.end());
    return status;
}

std::size_t prefix_count(const KeyMap& keys) {
    // In sorted order, a key shares its longest common prefix with the previous key.
    std::size_t count = 0;
    std::string_view before;
    for (const auto& [key, value] : keys) {
        const auto shared = std::mismatch(key.begin(), key.end(), before.begin(), before.end()).first - key.begin();
        count += key.size() - static_cast<std::size_t>(shared);
        before = key;
    }
    return count;
}

// Both with and without values.
void expect_exact(const KeyMap& keys) {
    Bytes section;
    ASSERT_TRUE(build(keys, true, &section).ok());
    const Trie with_values = read_trie(section);
    ASSERT_EQ(with_values.broken, "");
    ASSERT_EQ(with_values.keys, keys);
    ASSERT_EQ(with_values.node_count, prefix_count(keys));

    KeyMap no_values = keys;
    for (auto& [key, value] : no_values) value = 0;
    ASSERT_TRUE(build(keys, false, &section).ok());
    const Trie bare = read_trie(section);
    ASSERT_EQ(bare.broken, "");
    ASSERT_EQ(bare.keys, no_values);
    ASSERT_EQ(bare.unit_count, with_values.unit_count);
}

std::string random_key(Random& random, std::string_view alphabet, std::size_t longest) {
    std::string key;
    for (std::size_t n = 1 + random.below(longest); n > 0; --n) {
        key += alphabet.empty() ? static_cast<char>(random.below(256)) : alphabet[random.below(alphabet.size())];
    }
    return key;
}

// Half of the keys share a prefix with another one.
KeyMap random_keys(Random& random, std::string_view alphabet, std::size_t longest, std::size_t count) {
    KeyMap keys;
    std::vector<std::string> list;
    for (std::size_t tries = 0; tries < 4 * count && keys.size() < count; ++tries) {
        std::string key = random_key(random, alphabet, longest);
        if (!list.empty() && random.one_in(2)) {
            const std::string& other = list[random.below(list.size())];
            key = other.substr(0, 1 + random.below(other.size())) + key;
        }
        if (keys.emplace(key, static_cast<u32>(1 + random.below(1u << 30))).second) list.push_back(key);
    }
    return keys;
}

TEST(DoubleArray, NoKeys) {
    expect_exact({});
    Bytes section;
    ASSERT_TRUE(build({}, false, &section).ok());
    EXPECT_EQ(section.size(), 64u + 4 * 256);
}

TEST(DoubleArray, OneKey) {
    expect_exact({{std::string(1, '\0'), 7}});
    expect_exact({{std::string(1, '\xFF'), 7}});
    expect_exact({{"abc", 0}});
    expect_exact({{std::string(300, '\0'), 1}});
    // The longest possible key; reading it back takes quadratic time.
    expect_exact({{std::string(share() < 0.1 ? 9000 : 65535, 'a'), 1}});
}

TEST(DoubleArray, KeysWithZeroBytesAreDifferentKeys) {
    using namespace std::string_literals;
    expect_exact({{"\0"s, 1}, {"\0\0"s, 2}, {"\0\0\0"s, 3}, {"a"s, 4}, {"a\0"s, 5}, {"a\0b"s, 6}, {"\0a"s, 7}});
}

TEST(DoubleArray, EveryKeyOfOneAndTwoBytes) {
    KeyMap keys;
    for (int a = 0; a < 256; ++a) {
        keys[std::string(1, static_cast<char>(a))] = static_cast<u32>(a);
        for (int b = 0; b < 256; ++b) keys[{static_cast<char>(a), static_cast<char>(b)}] = static_cast<u32>(a * 256 + b);
    }
    expect_exact(keys);
    Bytes section;
    ASSERT_TRUE(build(keys, false, &section).ok());
    EXPECT_EQ(read_trie(section).unit_count, 256u + 256 + 65536);  // nothing stays vacant except block 0
}

TEST(DoubleArray, RandomKeys) {
    const std::string_view alphabets[] = {{}, {"ab", 2}, {"a\0\xFF", 3}, {"abcdefghijklmnopqrstuvwxyz ", 27}};
    for (u64 seed = 1; seed <= sample(120, 12); ++seed) {
        Random random(seed);
        const KeyMap keys = random_keys(random, alphabets[seed % 4], seed % 3 ? 8 : 300, 1 + random.below(400));
        ASSERT_NO_FATAL_FAILURE(expect_exact(keys)) << "seed " << seed;
    }
}

// Few labels per node, and keys of arbitrary bytes, whose long ends fill the gaps.
TEST(DoubleArray, LargeSetsAreDense) {
    for (const std::string_view alphabet : {std::string_view("abcdefghijklmnopqrstuvwxyz"), std::string_view()}) {
        Random random(3);
        const KeyMap keys = random_keys(random, alphabet, alphabet.empty() ? 12 : 6, share() < 0.1 ? 8'000 : 20'000);
        ASSERT_NO_FATAL_FAILURE(expect_exact(keys));
        Bytes section;
        ASSERT_TRUE(build(keys, false, &section).ok());
        const Trie trie = read_trie(section);
        EXPECT_GT(static_cast<double>(trie.node_count) / static_cast<double>(trie.unit_count), 0.97);
    }
}

TEST(DoubleArray, TheSameKeysGiveTheSameBytes) {
    Random random(4);
    const KeyMap keys = random_keys(random, {}, 12, 5000);
    Bytes first, second;
    ASSERT_TRUE(build(keys, true, &first).ok());
    ASSERT_TRUE(build(keys, true, &second).ok());
    EXPECT_EQ(first, second);
}

// 80 keys of 65,000 bytes without common prefixes: more nodes than units can address.
TEST(DoubleArray, TooManyNodes) {
    KeyMap keys;
    for (int i = 0; i < 80; ++i) keys[std::string(1, static_cast<char>(i)) + std::string(65000, 'x')] = 1;
    Bytes section;
    EXPECT_EQ(build(keys, false, &section).code, u32{CRAYON_VOCABULARY_TOO_LARGE});
}

}  // namespace
}  // namespace crayon::test::double_array_test
