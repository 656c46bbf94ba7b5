// Merging from characters compared with merging from bytes, in vocabularies whose tokens begin and end inside characters.
#include "model/characters.h"

#include <optional>

#include "open_bpe.h"
#include "share.h"

namespace crayon::test::characters_test {
namespace {

// Characters of two, three and four bytes that share their first or other bytes, and ASCII with the same low six bits.
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
    "\xF0\xA0\xAE\xB8",  // 𠮸, beyond the cached characters
    "\xF0\xA4\xAD\xA2",  // 𤭢
    "\xF4\x8F\xBF\xBF",  // U+10FFFF
    "\xEF\xBF\xBD",      // U+FFFD, which also stands for ill-formed bytes
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

// The units of pieces of an open vocabulary.
class Units {
public:
    explicit Units(const OpenBpe& bpe) : bpe_(bpe) { EXPECT_TRUE(characters_.ready(bpe.tables())); }

    // `before` and `after`: the text around the piece, which is not part of it.
    std::vector<u32> of(const std::string& piece, const std::string& before = "", const std::string& after = "") {
        std::vector<u32> units(piece.size());
        const std::string padded = OpenBpe::with_padding(before + piece + after);
        const Characters::Units found = characters_.units(OpenBpe::bytes(padded) + before.size(), static_cast<u32>(piece.size()),
                                                          bpe_.pairs(), bpe_.byte_ids(), units.data());
        units.resize(found.count);
        open = found.open;
        return units;
    }
    u32 open = 0;  // of the last units, in open characters

private:
    const OpenBpe& bpe_;
    Characters characters_;
};

// How many of the units are bytes of characters that could have merged further, the other characters being merged alone. Nothing
// if these are not the units of the characters at all.
std::optional<u32> open_units(const std::vector<u32>& units, const std::vector<std::string>& characters, const OpenBpe& bpe) {
    u32 open = 0;
    std::size_t at = 0;
    const auto next_are = [&](const std::vector<u32>& expected) {
        const auto begin = units.begin() + static_cast<std::ptrdiff_t>(at);
        return expected.size() <= units.size() - at && std::equal(expected.begin(), expected.end(), begin);
    };
    for (const std::string& character : characters) {
        const std::vector<u32> alone = naive::merge(character, bpe.ranks());
        std::vector<u32> bytes;
        for (char byte : character) bytes.push_back(bpe.byte_ids()[static_cast<u8>(byte)]);
        if (next_are(alone)) {
            at += alone.size();
        } else if (next_are(bytes)) {
            at += bytes.size();
            open += static_cast<u32>(bytes.size());
        } else {
            return {};
        }
    }
    return at == units.size() ? std::optional(open) : std::nullopt;
}

// BPE on units.
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

// Whether a crossing may lie on a boundary in the text, according to the three bytes that are inspected.
bool is_suspicious(const std::vector<std::string>& characters, const OpenBpe& bpe) {
    for (std::size_t i = 1; i < characters.size(); ++i) {
        const std::string after = joined({characters.begin() + static_cast<std::ptrdiff_t>(i), characters.end()});
        for (const u32 id : bpe.tables().crossings) {
            const std::string left(bpe.tables().token(bpe.tables().splits[id].left));
            const std::string right(bpe.tables().token(bpe.tables().splits[id].right));
            if (left.back() == characters[i - 1].back() && after.starts_with(right.substr(0, 2))) return true;
        }
    }
    return false;
}

TEST(Characters, EqualMergingFromBytes) {
    std::size_t all_closed = 0, some_open = 0, closed_at_crossings = 0, must_open = 0;
    for (u64 seed = 1; seed <= sample(150, 20); ++seed) {
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
            SCOPED_TRACE("seed " + std::to_string(seed) + " piece " + piece);
            const std::vector<u32> expected = naive::merge(piece, vocabulary.ranks);
            ASSERT_EQ(bpe.merge(piece), expected);

            const std::vector<u32> found = units.of(piece);
            const bool replacement = std::count(text.begin(), text.end(), "\xEF\xBF\xBD") > 0;
            ASSERT_EQ(found.empty(), replacement);
            if (replacement) continue;
            ASSERT_EQ(naive_merge_of_units(found, vocabulary), expected);
            ASSERT_EQ(open_units(found, text, bpe), units.open);
            ++(units.open ? some_open : all_closed);
            if (units.open == 0) {
                closed_at_crossings += is_suspicious(text, bpe);
            } else {
                std::vector<u32> alone;
                for (const std::string& character : text) {
                    for (const u32 id : naive::merge(character, vocabulary.ranks)) alone.push_back(id);
                }
                must_open += naive_merge_of_units(alone, vocabulary) != expected;
            }
        }
    }
    // Each case occurred, and treating all characters as closed would often have been wrong.
    EXPECT_GT(all_closed, at_least(3000));
    EXPECT_GT(closed_at_crossings, at_least(300));
    EXPECT_GT(some_open, at_least(1500));
    EXPECT_GT(must_open, at_least(1000));
}

TEST(Characters, EqualMergingFromBytesOfIllFormedText) {
    for (u64 seed = 1; seed <= sample(60); ++seed) {
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

// Without tokens across boundaries, merging may always start from characters; text that is not UTF-8 has none.
TEST(Characters, AreTheUnitsWhereNothingCrosses) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"\xC3\xA9", "\xB8\xAD", "\xE4\xB8\xAD", "\xE4\xB8", "\xF0\x9F", "\xF0\x9F\x98\x80", "a\xC3\xA9",
                              "\xF0\xA0", "\xF0\xA0\xAE"}) {
        vocabulary.add(token);
    }
    OpenBpe bpe(vocabulary);
    ASSERT_TRUE(bpe.tables().crossings.empty());
    Units units(bpe);
    const auto id = [&](const char* token) { return vocabulary.ranks.at(token); };
    for (int twice = 0; twice < 2; ++twice) {  // seen for the first time, and cached
        EXPECT_EQ(units.of("a\xC3\xA9"), (std::vector<u32>{'a', id("\xC3\xA9")}));
        EXPECT_EQ(units.of("\xE4\xB8\xAD\xC3\xA8"), (std::vector<u32>{id("\xE4\xB8\xAD"), 0xC3, 0xA8}));
        EXPECT_EQ(units.of("\xF0\x9F\x98\x80z"), (std::vector<u32>{id("\xF0\x9F"), 0x98, 0x80, 'z'}));
        EXPECT_EQ(units.of("\xF0\xA0\xAE\xB8"), (std::vector<u32>{id("\xF0\xA0\xAE"), 0xB8}));
        for (const char* ill_formed : {"\xA9", "a\xC3", "\xC3z", "\xE4\xB8", "\xE4\xB8z", "\xF0\x9F\x98", "\xFF", "\xC0\x80",
                                       "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBD"}) {
            EXPECT_TRUE(units.of(std::string("\xC3\xA9") + ill_formed).empty()) << ill_formed;
        }
    }
}

// Bytes after a piece are not part of it, even if they would continue its last character.
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

// As in o200k: the last byte of 됩 merges with the two characters after it before 됩 is complete.
TEST(Characters, ATokenThatReachesOverTwoCharacters) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"\xEB\x8B", "\xEB\x8B\x88", "\xEB\x8B\xA4", "\xEB\x8B\x88\xEB\x8B\xA4",
                              "\xA9\xEB\x8B\x88\xEB\x8B\xA4", "\xEB\x90", "\xEB\x90\xA9"}) {
        vocabulary.add(token);
    }
    OpenBpe bpe(vocabulary);
    Units units(bpe);
    const u32 ni = 257, da = 258, crossing = 260, start = 261, doep = 262;
    EXPECT_EQ(bpe.merge("됩니다"), (std::vector<u32>{start, crossing}));
    EXPECT_EQ(units.of("됩니다"), (std::vector<u32>{0xEB, 0x90, 0xA9, ni, da}));
    EXPECT_EQ(units.open, 3u);
    EXPECT_EQ(units.of("니다됩다니"), (std::vector<u32>{ni, da, doep, da, ni}));
    EXPECT_EQ(units.open, 0u);
    EXPECT_EQ(units.of("됩니", "", "다"), (std::vector<u32>{doep, ni}));  // the crossing ends after the piece
}

// If there are too many crossings to compare, characters are open: merging from bytes gives the same result.
TEST(Characters, AreOpenWhereCrossingsAreMany) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    std::vector<std::string> after;
    for (std::string right = "bc"; after.size() < 40; right += 'd') after.push_back(right);
    for (const std::string& right : after) vocabulary.add(right);
    for (const std::string& right : after) vocabulary.add("\xA9" + right);                         // 40 at the seam of "bc"
    for (int b = 0x80; b < 0xC0; ++b) vocabulary.add(std::string(1, static_cast<char>(b)) + "q");  // 64 at those of "q"
    vocabulary.add("\xC3\xA9");                                                                    // é comes after all of them
    const u32 e = static_cast<u32>(vocabulary.tokens.size()) - 1;
    OpenBpe bpe(vocabulary);
    Units units(bpe);
    for (int twice = 0; twice < 2; ++twice) {  // seen for the first time, and cached
        EXPECT_EQ(units.of("ébc"), (std::vector<u32>{0xC3, 0xA9, 'b', 'c'}));
        EXPECT_EQ(units.open, 2u);
        EXPECT_EQ(units.of("éqz"), (std::vector<u32>{0xC3, 0xA9, 'q', 'z'}));
        EXPECT_EQ(units.of("ébx"), (std::vector<u32>{e, 'b', 'x'}));
        EXPECT_EQ(units.of("éz"), (std::vector<u32>{e, 'z'}));
    }
    for (const std::string piece : {"ébc", "ébcddd", "éq", "ébx", "bcéqébcd", "éébcqé"}) {
        EXPECT_EQ(bpe.merge(piece), naive::merge(piece, vocabulary.ranks)) << piece;
        EXPECT_EQ(bpe.merge_all({piece, piece})[1], naive::merge(piece, vocabulary.ranks)) << piece;
    }
}

TEST(Characters, AreOpenWhereACrossingComesFirst) {
    // clang-format off
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {
        "\xC3\xA9",           // 256 é
        "\xA9" "a",           // 257 comes after é
        "\xC4\xA9",           // 258 ĩ comes after that
        "\xE4\xB8",           // 259
        "z\xE4\xB8",          // 260 z and the beginning of 中
        "\xE4\xB8\xAD",       // 261 中 comes after that
        "\xA9\xC5",           // 262 of two characters
        "\xC6\xA9",           // 263 Ʃ
        "\xC5\x82",           // 264 ł
        "x\xC3\xA9",          // 265 xé
        "\xE4\xB9",           // 266
        "x\xC3\xA9\xE4\xB9",  // 267 xé and the beginning of 乒
        "\xE4\xB9\x92",       // 268 乒 comes after that
    }) {
        vocabulary.add(token);
    }
    // clang-format on
    OpenBpe bpe(vocabulary);
    Units units(bpe);
    const auto expect = [&](const std::string& piece, const std::vector<u32>& expected, u32 open) {
        for (int twice = 0; twice < 2; ++twice) {  // seen for the first time, and cached
            EXPECT_EQ(units.of(piece), expected) << piece;
            EXPECT_EQ(units.open, open) << piece;
        }
        EXPECT_EQ(bpe.merge(piece), naive::merge(piece, vocabulary.ranks)) << piece;
    };
    expect("éa", {256, 'a'}, 0);
    expect("ĩa", {0xC4, 0xA9, 'a'}, 2);
    expect("ĩb", {258, 'b'}, 0);
    expect("z中", {'z', 0xE4, 0xB8, 0xAD}, 3);
    expect("y中", {'y', 261}, 0);
    expect("Ʃł", {0xC6, 0xA9, 0xC5, 0x82}, 4);
    expect("éł", {256, 0xC5, 0x82}, 2);  // the rank of é is below the crossing's, the rank of ł above it
    expect("xé乒", {'x', 256, 0xE4, 0xB9, 0x92}, 3);
    expect("é乒", {256, 268}, 0);
    EXPECT_EQ(units.of("é乒", "x"), (std::vector<u32>{256, 268}));  // the crossing begins before the piece
    expect("z中z中é", {'z', 0xE4, 0xB8, 0xAD, 'z', 0xE4, 0xB8, 0xAD, 256}, 6);
}

}  // namespace
}  // namespace crayon::test::characters_test
