// Merging from characters against merging from bytes, in vocabularies whose tokens begin and end inside of characters.
#include "model/characters.h"

#include "open_bpe.h"

namespace crayon::test {
namespace {

// Characters of two, three and four bytes that share first and other bytes, and ASCII whose low six bits are theirs.
const std::vector<std::string> kCharacters = {
    "\xC3\xA9",          // é
    "\xE4\xB8\xAD",      // 中
    "a",                 //
    "\xC3\xA8",          // è
    "\xEB\x8B\xA4",      // 다
    "\xEB\x8B\x88",      // 니
    " ",                 //
    "\xEB\x90\xA9",      // 됩
    "\xF0\x9F\x98\x80",  // 😀
    "\xE4\xB8\xA9",      // 丩
    "\xE4\xA9\xB8",      // 䩸
    "\xE9\xB8\xAD",      // 鸭: its first byte has the low six bits of A9
    "\xC4\xA9",          // ĩ
    ")",                 // 29, like A9
    "\xF0\x9F\x98\xA9",  // 😩
    "\xF0\x9F\xA9\xB8",  // 🩸
    "\xF0\x98\x9F\x80",  // 𘟀
    "C",                 // 43, like C3
    "\xF0\xA0\xAE\xB8",  // 𠮸, beyond the characters that are kept
    "\xF0\xA4\xAD\xA2",  // 𤭢
    "\xF4\x8F\xBF\xBF",  // U+10FFFF
    "\xEF\xBF\xBD",      // U+FFFD, which stands for ill-formed bytes as well
    "\xEF\xBF\xBE",      // U+FFFE
};

std::vector<std::string> some_characters(Random& random) {
    std::vector<std::string> some;
    for (std::size_t count = 2 + random.below(8); some.size() < count;) {
        some.push_back(kCharacters[random.below(kCharacters.size())]);
    }
    return some;
}

void damage(Random& random, std::string& bytes) {
    for (std::size_t count = 1 + random.below(3); count > 0 && !bytes.empty(); --count) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(3)) {
            case 0:
                bytes.erase(at, 1);
                break;
            case 1:
                bytes.insert(at, 1, "\xA9\xC3\xE4\xB8\xF0\x9F\xFF\x80"[random.below(8)]);
                break;
            default:
                bytes.resize(at);
                break;
        }
    }
    if (bytes.empty()) bytes = "\xA9";
}

// The units of a piece of an open vocabulary.
class Units {
public:
    explicit Units(const OpenBpe& bpe) : bpe_(bpe) { EXPECT_TRUE(characters_.ready(bpe.tables())); }

    std::vector<u32> of(const std::string& piece) {
        std::vector<u32> units(piece.size());
        const std::string padded = OpenBpe::with_padding(piece);
        units.resize(characters_.units(OpenBpe::bytes(padded), static_cast<u32>(piece.size()), bpe_.pairs(),
                                       bpe_.byte_ids(), units.data()));
        return units;
    }

private:
    const OpenBpe& bpe_;
    Characters characters_;
};

// Each character merged alone.
std::vector<u32> naive_units(const std::vector<std::string>& characters, const naive::Ranks& ranks) {
    std::vector<u32> units;
    for (const std::string& character : characters) {
        for (const u32 id : naive::merge(character, ranks)) units.push_back(id);
    }
    return units;
}

// What merging makes of units: BPE with tokens for letters.
std::vector<u32> naive_merge_of_units(std::vector<u32> units, const Vocabulary& vocabulary) {
    for (;;) {
        u32 best = layout::kNone;
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < units.size(); ++i) {
            const auto found = vocabulary.ranks.find(vocabulary.tokens[units[i]] + vocabulary.tokens[units[i + 1]]);
            if (found != vocabulary.ranks.end() && found->second < best) best = found->second, at = i;
        }
        if (best == layout::kNone) return units;
        units[at] = best;
        units.erase(units.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
}

// Whether a crossing may lie on a border of the text, by the three bytes that are looked at.
bool is_suspicious(const std::vector<std::string>& characters, const OpenBpe& bpe) {
    for (std::size_t i = 1; i < characters.size(); ++i) {
        const std::string behind = joined({characters.begin() + static_cast<std::ptrdiff_t>(i), characters.end()});
        for (const u32 id : bpe.tables().crossings) {
            const std::string left(bpe.tables().token(bpe.tables().splits[id].left));
            const std::string right(bpe.tables().token(bpe.tables().splits[id].right));
            if (left.back() == characters[i - 1].back() && behind.starts_with(right.substr(0, 2))) return true;
        }
    }
    return false;
}

TEST(Characters, EqualMergingFromBytes) {
    std::size_t from_characters = 0, from_bytes = 0, tried_out = 0, differ = 0;
    for (u64 seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const std::vector<std::string> characters = some_characters(random);
        const std::vector<std::string> sample = random_text(random, characters, 150);
        const std::size_t inside[] = {0, 30, 80, 95, 99};
        const Vocabulary vocabulary = grown_vocabulary(random, sample, 20 + random.below(150), inside[random.below(5)]);
        OpenBpe bpe(vocabulary);
        Units units(bpe);
        for (int i = 0; i < 80; ++i) {
            const std::vector<std::string> text = random_text(random, characters, 1 + random.below(i % 20 ? 12 : 80));
            const std::string piece = joined(text);
            const std::vector<u32> expected = naive::merge(piece, vocabulary.ranks);
            const std::vector<u32> alone = naive_units(text, vocabulary.ranks);
            const bool safe = naive_merge_of_units(alone, vocabulary) == expected;
            const std::vector<u32> begun = units.of(piece);
            ASSERT_EQ(bpe.merge(piece), expected) << "seed " << seed << " piece " << piece;
            differ += !safe;
            ++(begun.empty() ? from_bytes : from_characters);
            if (begun.empty()) continue;
            ASSERT_EQ(begun, alone) << "seed " << seed << " piece " << piece;
            ASSERT_TRUE(safe) << "seed " << seed << " piece " << piece;
            tried_out += is_suspicious(text, bpe);
        }
    }
    // Each way was taken, and characters would have been wrong often.
    EXPECT_GT(from_characters, 3000u);
    EXPECT_GT(tried_out, 300u);
    EXPECT_GT(from_bytes, 3000u);
    EXPECT_GT(differ, 1000u);
}

TEST(Characters, EqualMergingFromBytesOfIllFormedText) {
    for (u64 seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const std::vector<std::string> characters = some_characters(random);
        const std::vector<std::string> sample = random_text(random, characters, 150);
        const Vocabulary vocabulary = grown_vocabulary(random, sample, 20 + random.below(150), random.below(100));
        OpenBpe bpe(vocabulary);
        for (int i = 0; i < 80; ++i) {
            std::string piece = joined(random_text(random, characters, 1 + random.below(i % 20 ? 12 : 80)));
            damage(random, piece);
            ASSERT_EQ(bpe.merge(piece), naive::merge(piece, vocabulary.ranks)) << "seed " << seed << " piece " << piece;
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks)) << "seed " << seed;
        }
    }
}

// Without tokens across borders nothing keeps from beginning with characters; text that is no UTF-8 has none.
TEST(Characters, AreTheUnitsWhereNothingCrosses) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"\xC3\xA9", "\xB8\xAD", "\xE4\xB8\xAD", "\xE4\xB8", "\xF0\x9F", "\xF0\x9F\x98\x80",
                              "a\xC3\xA9", "\xF0\xA0", "\xF0\xA0\xAE"}) {
        vocabulary.add(token);
    }
    OpenBpe bpe(vocabulary);
    ASSERT_TRUE(bpe.tables().crossings.empty());
    Units units(bpe);
    const auto id = [&](const char* token) { return vocabulary.ranks.at(token); };
    for (int twice = 0; twice < 2; ++twice) {  // seen for the first time, and known
        EXPECT_EQ(units.of("a\xC3\xA9"), (std::vector<u32>{'a', id("\xC3\xA9")}));
        EXPECT_EQ(units.of("\xE4\xB8\xAD\xC3\xA8"), (std::vector<u32>{id("\xE4\xB8\xAD"), 0xC3, 0xA8}));
        EXPECT_EQ(units.of("\xF0\x9F\x98\x80z"), (std::vector<u32>{id("\xF0\x9F"), 0x98, 0x80, 'z'}));
        EXPECT_EQ(units.of("\xF0\xA0\xAE\xB8"), (std::vector<u32>{id("\xF0\xA0\xAE"), 0xB8}));
        for (const char* ill_formed : {"\xA9", "a\xC3", "\xC3z", "\xE4\xB8", "\xE4\xB8z", "\xF0\x9F\x98", "\xFF",
                                       "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBD"}) {
            EXPECT_TRUE(units.of(std::string("\xC3\xA9") + ill_formed).empty()) << ill_formed;
        }
    }
}

// A piece ends where it ends, even if what lies behind it would go on with its last character.
TEST(Characters, EndWithThePiece) {
    Random random(2);
    OpenBpe bpe(grown_vocabulary(random, random_text(random, {"\xE4\xB8\xAD", "\xC3\xA9"}, 100), 20));
    const std::vector<std::string> pieces = {"\xC3\xA9\xE4\xB8", "\xAD\xC3", "\xA9\xF0\x9F", "\x98\x80"};
    std::vector<u32> expected;
    for (const std::string& piece : pieces) {
        for (const u32 id : naive::encode_piece(piece, bpe.ranks())) expected.push_back(id);
    }
    EXPECT_EQ(bpe.encode_all(pieces), expected);
}

// As in o200k: the last byte of 됩 merges with the two characters behind it before 됩 is whole.
TEST(Characters, ATokenThatReachesOverTwoCharacters) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"\xEB\x8B", "\xEB\x8B\x88", "\xEB\x8B\xA4", "\xEB\x8B\x88\xEB\x8B\xA4",
                              "\xA9\xEB\x8B\x88\xEB\x8B\xA4", "\xEB\x90", "\xEB\x90\xA9"}) {
        vocabulary.add(token);
    }
    OpenBpe bpe(vocabulary);
    Units units(bpe);
    EXPECT_EQ(bpe.merge("됩니다"), (std::vector<u32>{261, 260}));
    EXPECT_TRUE(units.of("됩니다").empty());
    EXPECT_EQ(units.of("됩가"), (std::vector<u32>{262, 0xEA, 0xB0, 0x80}));  // 가 begins otherwise
    EXPECT_EQ(units.of("니다"), (std::vector<u32>{257, 258}));
}

// One half in each character: whether it comes too early is tried out, and remembered.
TEST(Characters, ATokenOfTwoCharactersMayComeLate) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"\xC3\xA9",
                              "\xA9"
                              "a",
                              "\xC4\xA9"})
        vocabulary.add(token);
    OpenBpe bpe(vocabulary);
    Units units(bpe);
    const u32 before = 256, crossing = 257;
    for (int twice = 0; twice < 2; ++twice) {
        EXPECT_EQ(units.of("\xC3\xA9"
                           "a"),
                  (std::vector<u32>{before, 'a'}));
        EXPECT_TRUE(units
                        .of("\xC4\xA9"
                            "a")
                        .empty());
        EXPECT_EQ(units.of("\xC4\xA9"
                           "b"),
                  (std::vector<u32>{258, 'b'}));
    }
    EXPECT_EQ(bpe.merge("\xC3\xA9"
                        "a"),
              (std::vector<u32>{before, 'a'}));
    EXPECT_EQ(bpe.merge("\xC4\xA9"
                        "a"),
              (std::vector<u32>{0xC4, crossing}));
}

}  // namespace
}  // namespace crayon::test
