// Added tokens that are found only as whole words: like the naive search, in windows with every cut, from every position at which
// a window stops, and in parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "added_token_reads.h"
#include "naive/added_matches.h"
#include "naive/nfc.h"
#include "scan/whole_words.h"
#include "share.h"

namespace crayon::test::whole_words_test {
namespace {

// They overlap, and touch each other.
const std::vector<std::string> kTokens = {"<a>",     "ab", "abc",    "bc",     "cab", "b<", "<",        "a b",  "1",   "_", "é",
                                          "\u1EC7]", "中", "\u0301", "\u200D", "c ",  "😀",  "[\u1EC7]", "<a>b", "aaa", "b"};
const std::vector<std::string> kOthers = {"a",          "b",        "c",      " ",       "  ",     "\n",
                                          "<",          ">",        ".",      "1",       "_",      "\u0660",
                                          "\u203F",     "\u2167",   "\u24B6", "e\u0301", "\u0301", "\u0338",
                                          "=",          "\u4E2D",   "\u200B", "\u200C",  "\u200D", "e\u0302\u0323",
                                          "]",          "[",        "\u212A", "\u1FEF",  "😀",      "\U0001D400",
                                          "\U000E0100", "\xE2\x80", "\xC2",   "\xFF",    "\x80",   "\xF0\x9D\x90"};

struct Kind {
    Kind(Random& random, std::string_view pretokenizer, bool normalizes) : normalizes(normalizes) {
        const Vocabulary vocabulary = random_vocabulary(random, "ab<c \n\xC3\xA9\xE4\xB8\xAD", 60);
        std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
        const bool may_strip = random.one_in(2), may_be_late = random.one_in(2);
        for (const std::string& bytes : kTokens) {
            if (random.one_in(2)) continue;
            std::uint32_t flags = random.one_in(2) ? CRAYON_ADDED_SPECIAL : 0;
            if (!random.one_in(3)) flags |= CRAYON_ADDED_SINGLE_WORD;
            const bool is_late = may_be_late && random.one_in(2);
            if (is_late) flags |= CRAYON_ADDED_NORMALIZED;
            if (may_strip && !(is_late && normalizes)) {
                if (random.one_in(3)) flags |= CRAYON_ADDED_LSTRIP;
                if (random.one_in(3)) flags |= CRAYON_ADDED_RSTRIP;
            }
            added.push_back({bytes, id++, flags});
        }
        cartridge = compile(vocabulary, pretokenizer, added, normalizes);
        plain_cartridge = compile(vocabulary, pretokenizer);
    }

    bool normalizes;
    std::vector<AddedToken> added;
    std::string cartridge, plain_cartridge;
};

std::string text_of(Random& random, const Kind& kind, std::size_t parts) {
    std::string text;
    for (; parts > 0; --parts) {
        if (random.one_in(2) && !kind.added.empty()) {
            const std::string& bytes = kind.added[random.below(kind.added.size())].bytes;
            text += random.one_in(6) ? bytes.substr(0, random.below(bytes.size())) : bytes;
        } else {
            text += kOthers[random.below(kOthers.size())];
        }
    }
    return text;
}

struct Expected {
    std::vector<u32> ids;
    Spans spans;  // of added tokens, unless the text is normalized
};

// The tokens that are not normalized first; then the others in each normalized part between them.
Expected expected_of(const Kind& kind, Tokenizing& plain, const std::string& text, u32 special) {
    static const naive::Nfc nfc;
    std::vector<naive::Addition> wanted[2];
    std::vector<u32> ids[2];
    for (const AddedToken& token : kind.added) {
        if (special == CRAYON_SPECIAL_AS_TEXT && (token.flags & CRAYON_ADDED_SPECIAL)) continue;
        const bool is_late = (token.flags & CRAYON_ADDED_NORMALIZED) != 0;
        wanted[is_late].push_back({token.bytes, (token.flags & CRAYON_ADDED_LSTRIP) != 0,
                                   (token.flags & CRAYON_ADDED_RSTRIP) != 0, (token.flags & CRAYON_ADDED_SINGLE_WORD) != 0});
        ids[is_late].push_back(token.id);
    }
    Expected expected;
    for (const naive::Part& part : naive::added_matches(text, wanted[0])) {
        if (part.token >= 0) {
            expected.ids.push_back(ids[0][part.token]);
            expected.spans.emplace_back(part.begin, part.end);
            continue;
        }
        std::string piece = text.substr(part.begin, part.end - part.begin);
        if (kind.normalizes) piece = nfc(piece);
        for (const naive::Part& late : naive::added_matches(piece, wanted[1])) {
            if (late.token >= 0) {
                expected.ids.push_back(ids[1][late.token]);
                expected.spans.emplace_back(part.begin + late.begin, part.begin + late.end);
            } else {
                const std::vector<u32> some = plain.encode(piece.substr(late.begin, late.end - late.begin));
                expected.ids.insert(expected.ids.end(), some.begin(), some.end());
            }
        }
    }
    return expected;
}

class WholeWordTokens : public testing::TestWithParam<bool> {};

TEST_P(WholeWordTokens, EqualTheNaiveSearchInWindowsAndFromEveryStop) {
    std::size_t found = 0;
    const std::size_t kinds = sample(400, 10);
    for (std::size_t seed = 1; seed <= kinds; ++seed) {
        Random random(seed);
        static constexpr std::string_view kPretokenizers[] = {"gpt2", "qwen2", "o200k", "none"};
        const Kind kind(random, kPretokenizers[random.below(4)], GetParam());
        Tokenizing own(kind.cartridge), plain(kind.plain_cartridge);
        for (int round = 0; round < 25; ++round) {
            const std::string text = text_of(random, kind, random.below(30));
            const u32 special = random.one_in(3) ? CRAYON_SPECIAL_AS_TEXT : CRAYON_SPECIAL_ALLOW;
            const Expected expected = expected_of(kind, plain, text, special);
            const std::string name = "seed " + std::to_string(seed) + ": " + testing::PrintToString(text);
            found += expected.spans.size();
            ASSERT_EQ(own.encode(text, special), expected.ids) << name;
            if (text.empty()) continue;

            std::vector<u32> offsets;
            expect_in_windows(own, text, special, random_windows(random, text.size()), expected.ids, &offsets, name);
            for (std::size_t cut = 1; round % 5 == 0 && cut < text.size(); ++cut) {
                expect_in_windows(own, text, special, {cut, text.size()}, expected.ids, nullptr, name);
            }
            if (HasFatalFailure()) return;
            if (!kind.normalizes) {
                ASSERT_EQ(added_spans(kind.added, expected.ids, offsets), expected.spans) << name;
            }
            expect_up_to_a_stop(own, text, special, expected.ids, random, name);
            const auto count_of = [&](const std::string& part) { return expected_of(kind, plain, part, special).ids.size(); };
            expect_parts_that_fit(own, text, special, random, count_of, name);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(found, kinds * 10);
}

INSTANTIATE_TEST_SUITE_P(Normalizing, WholeWordTokens, testing::Values(false, true));

// A text that is one long word has no stop, but still takes linear time in windows of one byte.
TEST(WholeWordsTest, PartsOfALongWordTakeLinearTime) {
    Random random(1);
    const Vocabulary vocabulary = random_vocabulary(random, "ab", 20);
    const std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
    Tokenizing own(compile(vocabulary, "none", {{"ab", id, CRAYON_ADDED_SINGLE_WORD}, {"ba", id + 1, 0}}));
    Tokenizing plain(compile(vocabulary, "none"));
    Encoder& encoder = own.encoder()->encoder;
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "ab";
    for (const bool ends : {false, true}) {
        ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
        std::vector<u32> ids;
        for (std::size_t at = 0; at < text.size(); ++at) {
            ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, 1, at + 1 == text.size()).ok());
            for (Encoder::Read read{0, true}; read.more;) {
                u32 some[3];
                ASSERT_TRUE(encoder.read(some, 3, &read).ok());
                ids.insert(ids.end(), some, some + read.count);
            }
        }
        ASSERT_EQ(ids, plain.encode(text));
        if (ends) break;
        text = "." + text;
    }
}

// The characters around a token decide, however the text is cut, on either side and at the ends.
TEST(WholeWordsTest, EveryCharacterIsClassifiedAsWordOrNot) {
    Random random(1);
    const Vocabulary vocabulary = random_vocabulary(random, "ab", 20);
    const std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
    Tokenizing own(compile(vocabulary, "gpt2", {{"<m>", id, CRAYON_ADDED_SINGLE_WORD}}));
    for (std::uint32_t code = 0; code < 0x110000; ++code) {
        if ((code >= 0xD800 && code < 0xE000) || (code > 0x3400 && code % 64 > 1 && code % 64 < 63)) continue;
        if (!in_sweep(code)) continue;
        const std::string character = naive::encode_utf8(std::u32string(1, static_cast<char32_t>(code)));
        for (const std::string& text : {character + "<m>", "<m>" + character}) {
            const std::vector<u32> ids = own.encode(text, CRAYON_SPECIAL_ALLOW);
            ASSERT_EQ(std::count(ids.begin(), ids.end(), id), naive::is_of_word(code) ? 0 : 1) << std::hex << code;
        }
    }
}

}  // namespace
}  // namespace crayon::test::whole_words_test
