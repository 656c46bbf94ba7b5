// The tables of byte-level BPE against the definition of merging: random vocabularies with zero bytes, long tokens,
// tokens that merging cannot reach, and holes.
#include "tables/bpe_tables.h"

#include <map>
#include <set>

#include "read_sections.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::bpe_tables_test {
namespace {

using Pair = std::pair<u32, u32>;

struct Tables {
    Status status;
    std::vector<Pair> splits;
    Bytes pieces8, pieces24, pieces_long, pairs, trie, crossings;
};

Bytes taken(const Buffer<u8>& buffer) { return {buffer.begin(), buffer.end()}; }

Tables build(const std::vector<std::string>& tokens) {
    std::string bytes;
    std::vector<u32> offsets = {0};
    for (const std::string& token : tokens) {
        bytes += token;
        offsets.push_back(static_cast<u32>(bytes.size()));
    }
    const TokenList list = {reinterpret_cast<const u8*>(bytes.data()), offsets.data(), static_cast<u32>(tokens.size())};
    Tables made;
    RankTable ranks;
    Buffer<layout::Split> splits;
    made.status = ranks.build(list);
    if (made.status.ok()) made.status = build_splits(list, ranks, &splits);
    if (!made.status.ok()) return made;
    Buffer<u8> pieces8, pieces24, pieces_long, pairs, trie, crossings;
    EXPECT_TRUE(build_pieces8(list, &pieces8).ok());
    EXPECT_TRUE(build_pieces24(list, &pieces24).ok());
    EXPECT_TRUE(build_pieces_long(list, &pieces_long).ok());
    EXPECT_TRUE(build_pairs(splits.data(), list.count, &pairs).ok());
    EXPECT_TRUE(build_trie(list, splits.data(), &trie).ok());
    EXPECT_TRUE(build_crossings(list, splits.data(), &crossings).ok());
    for (const layout::Split& split : splits) made.splits.push_back({split.left, split.right});
    made.pieces8 = taken(pieces8);
    made.pieces24 = taken(pieces24);
    made.pieces_long = taken(pieces_long);
    made.pairs = taken(pairs);
    made.trie = taken(trie);
    made.crossings = taken(crossings);
    return made;
}

// The merge that makes each token, found by running BPE on its bytes without that token: it is reachable if two parts remain.
std::vector<Pair> naive_splits(const Vocabulary& vocabulary) {
    naive::Ranks ranks = vocabulary.ranks;
    std::vector<Pair> splits;
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        const std::string& token = vocabulary.tokens[id];
        splits.push_back({id, id});
        if (token.size() < 2) continue;
        ranks.erase(token);
        const std::vector<u32> parts = token.size() < 100 ? naive::merge(token, ranks) : naive::merge_long(token, ranks);
        ranks[token] = id;
        if (parts.size() == 2) splits.back() = {parts[0], parts[1]};
    }
    return splits;
}

// The two ways in which half of a token can be part of a character.
bool is_end_of_character(const std::string& half) {
    return std::all_of(half.begin(), half.end(), [](unsigned char byte) { return byte >= 0x80 && byte <= 0xBF; });
}
bool is_beginning_of_character(const std::string& half) {
    const int first = static_cast<std::uint8_t>(half[0]);
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    return half.size() < bytes && is_end_of_character(half.substr(1));
}

Bytes naive_crossings(const Vocabulary& vocabulary, const std::vector<Pair>& splits) {
    std::vector<u32> words = {0};
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        if (splits[id].first == id) continue;
        const std::string left = vocabulary.tokens[splits[id].first], right = vocabulary.tokens[splits[id].second];
        if (is_end_of_character(right.substr(0, 1))) continue;
        if (is_end_of_character(left) || is_beginning_of_character(right)) words.push_back(id);
    }
    words[0] = static_cast<u32>(words.size()) - 1;
    Bytes section(4 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) put32(section, 4 * i, words[i]);
    return section;
}

void expect_piece_table(const Vocabulary& vocabulary, const Bytes& section, std::size_t least, std::size_t most) {
    const std::size_t words = most <= 24 ? most / 8 : 0;  // bytes of a key in an entry; long tokens store only their id
    const u32 entry_bytes = words ? static_cast<u32>(8 * words + 8) : 4;
    const HashTable table = read_hash_table(section, entry_bytes);
    ASSERT_EQ(table.broken, "");
    std::size_t count = 0;
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        const std::string& token = vocabulary.tokens[id];
        if (token.size() < least || token.size() > most) continue;
        ++count;
        const Bytes& entry = table.at(hash_of_token(token, table.seed));
        if (words) {
            Bytes expected(entry_bytes);
            std::copy(token.begin(), token.end(), expected.begin());
            put32(expected, 8 * words, id);
            put32(expected, 8 * words + 4, static_cast<u32>(token.size()));
            ASSERT_EQ(entry, expected) << "token " << id;
        } else {
            ASSERT_EQ(get32(entry, 0), id);
        }
    }
    EXPECT_EQ(table.key_count, count);
    const Bytes empty(entry_bytes, words ? 0 : 0xFF);
    EXPECT_EQ(std::count(table.slots.begin(), table.slots.end(), empty), static_cast<long>(table.slots.size() - count));
}

void expect_pairs(const std::vector<Pair>& splits, const Bytes& section) {
    const HashTable table = read_hash_table(section, 4);
    ASSERT_EQ(table.broken, "");
    std::size_t count = 0;
    for (u32 id = 0; id < splits.size(); ++id) {
        if (splits[id].first == id) continue;
        ++count;
        const u64 hash = hash_of_word(splits[id].first | u64{splits[id].second} << 32, 0, table.seed);
        ASSERT_EQ(get32(table.at(hash), 0), id | static_cast<u32>(hash >> 53) << 21) << "token " << id;
    }
    EXPECT_EQ(table.key_count, count);
    EXPECT_EQ(std::count(table.slots.begin(), table.slots.end(), Bytes(4, 0xFF)), static_cast<long>(table.slots.size() - count));
}

void expect_tables(const Vocabulary& vocabulary) {
    const Tables made = build(vocabulary.tokens);
    ASSERT_TRUE(made.status.ok()) << made.status.code << " at " << made.status.position;
    const std::vector<Pair> splits = naive_splits(vocabulary);
    ASSERT_EQ(made.splits, splits);
    ASSERT_NO_FATAL_FAILURE(expect_piece_table(vocabulary, made.pieces8, 1, 8));
    ASSERT_NO_FATAL_FAILURE(expect_piece_table(vocabulary, made.pieces24, 9, 24));
    ASSERT_NO_FATAL_FAILURE(expect_piece_table(vocabulary, made.pieces_long, 25, ~std::size_t{0}));
    ASSERT_NO_FATAL_FAILURE(expect_pairs(splits, made.pairs));
    const Trie trie = read_trie(made.trie);
    ASSERT_EQ(trie.broken, "");
    std::map<std::string, u32> reachable;
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        const std::string& token = vocabulary.tokens[id];
        if (token.size() == 1 || splits[id].first != id) reachable[token] = 0;
    }
    ASSERT_EQ(trie.keys, reachable);
    EXPECT_EQ(get32(made.trie, 4), 0u);  // no values
    ASSERT_EQ(made.crossings, naive_crossings(vocabulary, splits));
}

Vocabulary bytes_and(const std::vector<std::string>& tokens) {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary.add(std::string(1, static_cast<char>(byte)));
    for (const std::string& token : tokens) vocabulary.add(token);
    return vocabulary;
}

TEST(BpeTables, BytesAlone) { expect_tables(bytes_and({})); }

TEST(BpeTables, RandomVocabularies) {
    const std::string_view alphabets[] = {{"ab", 2},      {"abcdefgh", 8},          {"\0", 1},
                                          {"a\0\xFF", 3}, {"a\xC3\xA9\xE4\xB8", 5}, {"b\xC2\xF0\x9F\x98\x80", 6}};
    std::size_t unreachable = 0, holes = 0, of_300_bytes = 0, crossings = 0;
    for (u64 seed = 1; seed <= sample(60, 30); ++seed) {
        Random random(seed);
        const Vocabulary vocabulary =
            random_vocabulary(random, alphabets[seed % std::size(alphabets)], 20 + random.below(150), seed % 5 ? 40 : 300);
        ASSERT_NO_FATAL_FAILURE(expect_tables(vocabulary)) << "seed " << seed;
        const std::vector<Pair> splits = naive_splits(vocabulary);
        crossings += get32(naive_crossings(vocabulary, splits), 0);
        for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
            const std::size_t length = vocabulary.tokens[id].size();
            holes += length == 0;
            of_300_bytes += length > 200;
            unreachable += length > 1 && splits[id].first == id;
        }
    }
    // The vocabularies contain the cases under test.
    EXPECT_GT(unreachable, at_least(100));
    EXPECT_GT(holes, at_least(50));
    EXPECT_GT(of_300_bytes, at_least(5));
    EXPECT_GT(crossings, at_least(100));
}

// Every length around the limits of the piece tables and of the hash words, also with trailing zero bytes, which must not be
// taken for padding.
TEST(BpeTables, TokensOfEveryLength) {
    std::vector<std::string> tokens;
    std::string letters, zeros(1, '\0');
    for (int length = 2; length <= 80; ++length) {
        tokens.push_back(zeros += '\0');
        tokens.push_back(std::string(static_cast<std::size_t>(length) - 1, 'a') + '\0');
        tokens.push_back(std::string(static_cast<std::size_t>(length) - 1, 'b') + 'c');
    }
    expect_tables(bytes_and(tokens));
}

// Pairs of arbitrary bytes, enough that confusing any two of them would show.
// Tokens of hundreds of bytes: each the previous one plus a byte or a part, two earlier ones joined, or random, so that merging
// does not end with two parts.
TEST(BpeTables, LongTokens) {
    u64 reached = 0;
    for (u64 seed = 1; seed <= sample(40, 8); ++seed) {
        Random random(seed);
        const std::size_t letters = 1 + random.below(26), joined = random.below(5);
        Vocabulary vocabulary;
        for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
        const auto letter = [&] { return std::string(1, static_cast<char>('a' + random.below(letters))); };
        std::vector<std::string> parts = {letter(), letter()};
        std::string chain = letter();
        for (int tries = 0; tries < 250; ++tries) {
            const auto part = [&] { return parts[parts.size() - 1 - random.below(std::min<std::size_t>(parts.size(), 8))]; };
            std::string token = random.below(4) < joined ? part() + part() : chain += letter();
            if (random.one_in(60)) {
                for (std::size_t n = random.below(400); n > 0; --n) token += letter();
            }
            if (token.size() > 700 || vocabulary.ranks.count(token)) {
                parts.push_back(letter());
                continue;
            }
            vocabulary.add(token);
            parts.push_back(token);
        }
        // Tokens that merge from later ones are refused, and then omitted.
        for (bool ordered = false; !ordered;) {
            const std::vector<Pair> expected = naive_splits(vocabulary);
            const Tables made = build(vocabulary.tokens);
            ordered = true;
            for (u32 id = 0; id < expected.size(); ++id) {
                const auto [left, right] = expected[id];
                if (left <= id && right <= id) {
                    reached += vocabulary.tokens[id].size() > 128 && left != id;
                    continue;
                }
                if (ordered) {
                    ASSERT_EQ(made.status.code, u32{CRAYON_BUILD_FAILED}) << "seed " << seed;
                    ASSERT_EQ(made.status.position, id) << "seed " << seed;
                }
                ordered = false;
                vocabulary.ranks.erase(vocabulary.tokens[id]);
                vocabulary.tokens[id].clear();
            }
            if (ordered) {
                ASSERT_EQ(made.splits, expected) << "seed " << seed;
            }
        }
    }
    EXPECT_GT(reached, at_least(400));
}

TEST(BpeTables, PairsOfAnyBytes) {
    Random random(12);
    std::vector<std::string> tokens;
    std::set<std::string> known;
    while (tokens.size() < 6000) {
        const std::string token = {static_cast<char>(random.below(256)), static_cast<char>(random.below(256))};
        if (known.insert(token).second) tokens.push_back(token);
    }
    while (tokens.size() < 7500) {  // two pairs of higher and lower rank side by side, and sometimes an extra byte
        std::string token = tokens[random.below(6000)] + tokens[random.below(6000)];
        if (random.one_in(2)) token.pop_back();
        if (known.insert(token).second) tokens.push_back(token);
    }
    expect_tables(bytes_and(tokens));
}

TEST(BpeTables, TiesMergeFromTheLeft) {
    // aaa is aa + a, never a + aa. aaaa becomes aa, aa, which is a token. aaaaa becomes aa, aa, a; then aaa comes
    // before aaaa.
    const Vocabulary vocabulary = bytes_and({"aa", "aaa", "aaaa", "aaaaa"});
    const Tables made = build(vocabulary.tokens);
    ASSERT_TRUE(made.status.ok());
    EXPECT_EQ(made.splits[257], (Pair{256, 'a'}));
    EXPECT_EQ(made.splits[258], (Pair{256, 256}));
    EXPECT_EQ(made.splits[259], (Pair{256, 257}));
    expect_tables(vocabulary);
}

TEST(BpeTables, CrossingsTakeAPartOfACharacter) {
    // clang-format off
    const Vocabulary vocabulary = bytes_and({
        "\xC3\xA9",                          // 256 é: contains no boundary
        "\xA9" "a",                          // 257 the end of a character, and the following text
        "a\xC3",                             // 258 a beginning, and the text before it
        "a\xC3\xA9",                         // 259 a + é: whole characters
        "\xC3\xA9" "b",                      // 260 é + b
        "\xE4\xB8",                          // 261 the beginning of 中
        "\xC3\xA9\xE4\xB8",                  // 262 é + it
        "\xB8\xAD",                          // 263 its end
        "\xB8\xAD\xC3\xA9",                  // 264 its end + é
        "\x98\x80",                          // 265 the end of an emoji
        "\xA9\x98\x80",                      // 266 continuation bytes without a boundary between them
        "\xF0\x9F",                          // 267 two bytes of four
        "\xF0\x9F\x98",                      // 268 three bytes of four: no boundary
        "z\xF0\x9F",                         // 269 z + two bytes of four
        "\xC3\xA9\xA9",                      // 270 é and an extra byte
        "z\xC3\xA9\xA9",                     // 271 z + the same bytes, which begin no character
        "yz",                                // 272 not a byte of any multi-byte character
    });
    // clang-format on
    const Tables made = build(vocabulary.tokens);
    ASSERT_TRUE(made.status.ok());
    Bytes expected(4 * 6);
    for (u32 i = 0; const u32 word : {5u, 257u, 258u, 262u, 264u, 269u}) put32(expected, 4 * i++, word);
    EXPECT_EQ(made.crossings, expected);
    expect_tables(vocabulary);
}

TEST(BpeTables, ATokenThatMergingSkipsIsUnreachable) {
    // In abc, bc merges first, and a + bc is no token.
    const Vocabulary vocabulary = bytes_and({"bc", "ab", "abcd", "cd"});
    const Tables made = build(vocabulary.tokens);
    ASSERT_TRUE(made.status.ok());
    EXPECT_EQ(made.splits[258], (Pair{258, 258}));
    EXPECT_EQ(read_trie(made.trie).keys.count("abcd"), 0u);
    EXPECT_EQ(read_trie(made.trie).keys.count("ab"), 1u);
    expect_tables(vocabulary);
}

TEST(BpeTables, AMergeOfHigherRanksIsRefused) {
    // abc (256) is made from ab (257): no order of ranks describes this.
    const Tables made = build(bytes_and({"abc", "ab"}).tokens);
    EXPECT_EQ(made.status.code, u32{CRAYON_BUILD_FAILED});
    EXPECT_EQ(made.status.position, 256u);
}

TEST(BpeTables, EqualTokensAreNamed) {
    std::vector<std::string> tokens = bytes_and({"ab", "", "cd", "", "ab"}).tokens;
    const Tables made = build(tokens);
    EXPECT_EQ(made.status.code, u32{CRAYON_DUPLICATE_TOKEN});
    EXPECT_EQ(made.status.position, 260u);
}

TEST(BpeTables, TheSameTokensGiveTheSameBytes) {
    Random random(8);
    const Vocabulary vocabulary = random_vocabulary(random, "abc\xC3\xA9", 200);
    const Tables first = build(vocabulary.tokens), second = build(vocabulary.tokens);
    EXPECT_EQ(first.pieces8, second.pieces8);
    EXPECT_EQ(first.pieces24, second.pieces24);
    EXPECT_EQ(first.pieces_long, second.pieces_long);
    EXPECT_EQ(first.pairs, second.pairs);
    EXPECT_EQ(first.trie, second.trie);
    EXPECT_EQ(first.crossings, second.crossings);
}

}  // namespace
}  // namespace crayon::test::bpe_tables_test
