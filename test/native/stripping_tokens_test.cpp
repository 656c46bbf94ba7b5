// Added tokens that include the whitespace around them: like the naive search, in windows of every size, from every position at
// which a window stops, and in parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "fit/encoder_handle.h"
#include "fit/fit.h"
#include "naive/added_matches.h"
#include "naive/nfc.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::stripping_tokens_test {
namespace {

const std::vector<std::string> kSpaces = {" ",      "  ",     "\n",     "\t",     "\r\n",  "\u0085",
                                          "\u00A0", "\u2003", "\u2028", "\u3000", "\u2000"};

// A tokenizer with such tokens, and the same without any.
struct Kind {
    Kind(Random& random, std::string_view pretokenizer, bool normalizes) : normalizes(normalizes) {
        const Vocabulary vocabulary = random_vocabulary(random, "ab< \n\xC2\xA0\xE2\x80\x83", 60);
        std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
        const bool may_begin = random.one_in(2);
        static const std::vector<std::string> kTokens = {"<a>", "<a", "<b>", "ab", "<\n>", "b  ", "  ", " <c>", "\n", "\u2003"};
        for (const std::string& bytes : kTokens) {
            const bool begins = bytes[0] == ' ' || bytes[0] == '\n' || bytes == "\u2003";
            if (random.one_in(2) || (begins && !may_begin)) continue;
            std::uint32_t flags = random.one_in(2) ? CRAYON_ADDED_SPECIAL : 0;
            if (random.one_in(2)) flags |= CRAYON_ADDED_LSTRIP;
            if (!may_begin && random.one_in(2)) flags |= CRAYON_ADDED_RSTRIP;
            added.push_back({bytes, id++, flags});
        }
        cartridge = compile(vocabulary, pretokenizer, added, normalizes);
        plain_cartridge = compile(vocabulary, pretokenizer, {}, normalizes);
    }

    bool normalizes;
    std::vector<AddedToken> added;
    std::string cartridge, plain_cartridge;
};

std::string text_of(Random& random, const Kind& kind, std::size_t parts) {
    std::string text;
    for (; parts > 0; --parts) {
        const std::size_t which = random.below(8);
        if (which < 4) {
            text += kSpaces[random.below(kSpaces.size())];
            if (random.one_in(12)) text += std::string(random.below(100), ' ');
        } else if (which < 6 && !kind.added.empty()) {
            const std::string& bytes = kind.added[random.below(kind.added.size())].bytes;
            text += random.one_in(4) ? bytes.substr(0, random.below(bytes.size())) : bytes;
        } else {
            static const std::vector<std::string> kOthers = {
                "a",      "b",      "<",        ">",    "\u00E9",           "e\u0301", "\u0301",
                "\u4E2D", "\u200B", "\xE2\x80", "\xC2", "\xF0\x9F\x98\x80", "\xFF",    "\x80"};
            text += kOthers[random.below(kOthers.size())];
        }
    }
    return text;
}

struct Expected {
    std::vector<u32> ids;
    std::vector<std::pair<std::size_t, std::size_t>> spans;  // of added tokens
};

Expected expected_of(const Kind& kind, Tokenizing& plain, const std::string& text, u32 special) {
    std::vector<naive::Addition> wanted;
    std::vector<u32> ids;
    for (const AddedToken& token : kind.added) {
        if (special == CRAYON_SPECIAL_AS_TEXT && (token.flags & CRAYON_ADDED_SPECIAL)) continue;
        wanted.push_back({token.bytes, (token.flags & CRAYON_ADDED_LSTRIP) != 0, (token.flags & CRAYON_ADDED_RSTRIP) != 0});
        ids.push_back(token.id);
    }
    Expected expected;
    for (const naive::Part& part : naive::added_matches(text, wanted)) {
        if (part.token < 0) {
            const std::vector<u32> some = plain.encode(text.substr(part.begin, part.end - part.begin));
            expected.ids.insert(expected.ids.end(), some.begin(), some.end());
        } else {
            expected.ids.push_back(ids[part.token]);
            expected.spans.emplace_back(part.begin, part.end);
        }
    }
    return expected;
}

class StrippingTokens : public testing::TestWithParam<bool> {};

TEST_P(StrippingTokens, EqualTheNaiveSearchInWindowsAndFromEveryStop) {
    std::size_t found = 0;
    const std::size_t kinds = sample(160, 8);
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

            // In windows, with offsets; after each, encoding from the stop position gives the remaining ids.
            ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
            std::vector<u32> ids, offsets;
            std::vector<std::size_t> stops, counts;
            for (std::size_t at = 0, most = 1 + random.below(20);;) {
                const std::size_t length = std::min(1 + random.below(most), text.size() - at);
                const bool last = at + length == text.size();
                ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, length, last).ok());
                at += length;
                for (Encoder::Read read{0, true}; read.more;) {
                    u32 some[3], spans[6];
                    ASSERT_TRUE(encoder.read_with_offsets(some, spans, 3, CRAYON_UNIT_BYTES, &read).ok());
                    ids.insert(ids.end(), some, some + read.count);
                    offsets.insert(offsets.end(), spans, spans + 2 * read.count);
                }
                stops.push_back(encoder.position());
                counts.push_back(ids.size() - encoder.ids_beyond_position());
                if (last) break;
            }
            ASSERT_EQ(ids, expected.ids) << name;
            ASSERT_EQ(stops.back(), text.size()) << name;
            for (std::size_t i = 0; i < stops.size(); ++i) {
                const std::vector<u32> rest(expected.ids.begin() + counts[i], expected.ids.end());
                ASSERT_EQ(own.encode(text.substr(stops[i]), special), rest) << name << " at " << stops[i];
            }
            std::vector<std::pair<std::size_t, std::size_t>> spans;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                const auto is_it = [&](const AddedToken& token) { return token.id == ids[i]; };
                if (std::any_of(kind.added.begin(), kind.added.end(), is_it))
                    spans.emplace_back(offsets[2 * i], offsets[2 * i + 1]);
            }
            ASSERT_EQ(spans, expected.spans) << name;
            if (text.empty()) continue;

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

INSTANTIATE_TEST_SUITE_P(Normalizing, StrippingTokens, testing::Values(false, true));

// Many spaces, with which a token begins, make the search read ahead in blocks: a window then ends it inside a character.
TEST(StrippingTokensTest, WhitespaceStaysWholeWhenTheSearchReadsAhead) {
    Random random(1);
    const Vocabulary vocabulary = random_vocabulary(random, "ab< ", 20);
    const std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
    Tokenizing own(compile(vocabulary, "gpt2", {{"<a>", id, CRAYON_ADDED_LSTRIP}, {" <c>", id + 1, CRAYON_ADDED_LSTRIP}}));
    const std::string before = std::string(20'000, ' ') + "b", text = before + "\n\u3000\u2003\u00A0 <a>b";
    std::vector<u32> expected = own.encode(before);
    expected.push_back(id);
    expected.push_back(own.encode("b").front());
    Encoder& encoder = own.encoder()->encoder;
    for (std::size_t window = 1; window < 20; ++window) {
        std::vector<u32> ids;
        ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
        for (std::size_t at = 0, length = before.size(); at < text.size();
             at += length, length = std::min(window, text.size() - at)) {
            ASSERT_TRUE(
                encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, length, at + length == text.size()).ok());
            for (Encoder::Read read{0, true}; read.more;) {
                u32 some[100];
                ASSERT_TRUE(encoder.read(some, 100, &read).ok());
                ids.insert(ids.end(), some, some + read.count);
            }
        }
        EXPECT_EQ(ids, expected) << "windows of " << window;
    }
}

// Whitespace waits until the following text is known, and each byte of it is read once: with windows of one byte, more would take
// minutes.
TEST(StrippingTokensTest, LongWhitespaceTakesLinearTime) {
    Random random(1);
    const Vocabulary vocabulary = random_vocabulary(random, "ab< ", 20);
    const std::uint32_t id = static_cast<std::uint32_t>(vocabulary.tokens.size());
    Tokenizing own(compile(vocabulary, "gpt2", {{"<m>", id, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP}}));
    Encoder& encoder = own.encoder()->encoder;
    ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0).ok());
    const std::string text = "a" + std::string(300'000, ' ') + "<m>" + std::string(300'000, ' ') + "<m>";
    std::vector<u32> ids;
    for (std::size_t at = 0; at < text.size(); ++at) {
        ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, 1, at + 1 == text.size()).ok());
        for (Encoder::Read read{0, true}; read.more;) {
            u32 some[3];
            ASSERT_TRUE(encoder.read(some, 3, &read).ok());
            ids.insert(ids.end(), some, some + read.count);
        }
    }
    ASSERT_EQ(ids.size(), 3u);
    EXPECT_EQ(ids[1], id);
    EXPECT_EQ(ids[2], id);
}

}  // namespace
}  // namespace crayon::test::stripping_tokens_test
