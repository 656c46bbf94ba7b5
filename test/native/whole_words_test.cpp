// Added tokens that are found only as whole words: like the naive search, in windows with every cut, from every position at which
// a window stops, and in parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "fit/encoder_handle.h"
#include "fit/fit.h"
#include "naive/added_matches.h"
#include "naive/nfc.h"
#include "scan/whole_words.h"
#include "share.h"
#include "vocabularies.h"

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
    std::vector<std::pair<std::size_t, std::size_t>> spans;  // of added tokens, unless the text is normalized
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

// The ids of a text in windows that end at `cuts`. After each, encoding from the stop position gives the remaining ids.
void expect_in_windows(Tokenizing& own, const std::string& text, u32 special, const std::vector<std::size_t>& cuts,
                       const std::vector<u32>& expected, std::vector<u32>* offsets, const std::string& name) {
    Encoder& encoder = own.encoder()->encoder;
    ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
    std::vector<u32> ids;
    std::vector<std::size_t> stops, counts;
    std::size_t at = 0;
    for (const std::size_t end : cuts) {
        ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, end - at, end == text.size()).ok());
        at = end;
        for (Encoder::Read read{0, true}; read.more;) {
            u32 some[3], spans[6];
            ASSERT_TRUE(encoder.read_with_offsets(some, spans, 3, CRAYON_UNIT_BYTES, &read).ok());
            ids.insert(ids.end(), some, some + read.count);
            if (offsets) offsets->insert(offsets->end(), spans, spans + 2 * read.count);
        }
        stops.push_back(encoder.position());
        counts.push_back(ids.size() - encoder.ids_beyond_position());
    }
    ASSERT_EQ(ids, expected) << name;
    ASSERT_EQ(stops.back(), text.size()) << name;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (i > 0 && stops[i] == stops[i - 1]) continue;
        const std::vector<u32> rest(expected.begin() + counts[i], expected.end());
        ASSERT_EQ(own.encode(text.substr(stops[i]), special), rest) << name << " at " << stops[i];
    }
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
        Encoder& encoder = own.encoder()->encoder;
        for (int round = 0; round < 25; ++round) {
            const std::string text = text_of(random, kind, random.below(30));
            const u32 special = random.one_in(3) ? CRAYON_SPECIAL_AS_TEXT : CRAYON_SPECIAL_ALLOW;
            const Expected expected = expected_of(kind, plain, text, special);
            const std::string name = "seed " + std::to_string(seed) + ": " + testing::PrintToString(text);
            found += expected.spans.size();
            ASSERT_EQ(own.encode(text, special), expected.ids) << name;
            if (text.empty()) continue;

            std::vector<std::size_t> cuts;
            for (std::size_t at = 0, most = 1 + random.below(20); at < text.size();) {
                cuts.push_back(at = std::min(text.size(), at + 1 + random.below(most)));
            }
            std::vector<u32> offsets;
            expect_in_windows(own, text, special, cuts, expected.ids, &offsets, name);
            for (std::size_t cut = 1; round % 5 == 0 && cut < text.size(); ++cut) {
                expect_in_windows(own, text, special, {cut, text.size()}, expected.ids, nullptr, name);
            }
            if (HasFatalFailure()) return;
            std::vector<std::pair<std::size_t, std::size_t>> spans;
            for (std::size_t i = 0; i < expected.ids.size(); ++i) {
                const auto is_it = [&](const AddedToken& token) { return token.id == expected.ids[i]; };
                if (std::any_of(kind.added.begin(), kind.added.end(), is_it))
                    spans.emplace_back(offsets[2 * i], offsets[2 * i + 1]);
            }
            if (!kind.normalizes) {
                ASSERT_EQ(spans, expected.spans) << name;
            }

            // Up to a stop.
            ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
            ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()), text.size(), true).ok());
            const std::size_t stop = 1 + random.below(text.size());
            encoder.stop_reading_at(stop);
            std::vector<u32> some(expected.ids.size() + 1);
            Encoder::Read read{};
            ASSERT_TRUE(encoder.read(some.data(), static_cast<u32>(some.size()), &read).ok());
            ASSERT_GE(encoder.position(), stop) << name;
            const std::vector<u32> rest(expected.ids.begin() + read.count, expected.ids.end());
            ASSERT_EQ(own.encode(text.substr(encoder.position()), special), rest) << name;

            // In parts, each of which fits the limit alone.
            const u32 limit = static_cast<u32>(4 + random.below(20)), overlap = static_cast<u32>(random.below(4));
            const Fit::Text whole = {reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), true};
            ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
            for (u32 start = 0; start < text.size();) {
                Fit::Part part{};
                ASSERT_TRUE(Fit(own.encoder()->fit, whole).cut(start, limit, overlap, &part).ok());
                ASSERT_FALSE(part.more);
                if (part.end == start) break;
                const std::string alone = text.substr(start, part.end - start);
                ASSERT_EQ(expected_of(kind, plain, alone, special).ids.size(), part.tokens) << name;
                ASSERT_LE(part.tokens, limit) << name;
                start = part.end;
            }
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
