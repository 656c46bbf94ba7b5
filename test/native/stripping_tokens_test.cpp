// Added tokens that include the whitespace around them: like the naive search, in windows of every size, from every position at
// which a window stops, and in parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "added_token_reads.h"
#include "naive/added_matches.h"
#include "naive/nfc.h"
#include "share.h"

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
    Spans spans;  // of added tokens
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
        for (int round = 0; round < 25; ++round) {
            const std::string text = text_of(random, kind, random.below(30));
            const u32 special = random.one_in(3) ? CRAYON_SPECIAL_AS_TEXT : CRAYON_SPECIAL_ALLOW;
            const Expected expected = expected_of(kind, plain, text, special);
            const std::string name = "seed " + std::to_string(seed) + ": " + testing::PrintToString(text);
            found += expected.spans.size();
            ASSERT_EQ(own.encode(text, special), expected.ids) << name;

            std::vector<u32> offsets;
            expect_in_windows(own, text, special, random_windows(random, text.size()), expected.ids, &offsets, name);
            if (HasFatalFailure()) return;
            ASSERT_EQ(added_spans(kind.added, expected.ids, offsets), expected.spans) << name;
            if (text.empty()) continue;
            expect_up_to_a_stop(own, text, special, expected.ids, random, name);
            const auto count_of = [&](const std::string& part) { return expected_of(kind, plain, part, special).ids.size(); };
            expect_parts_that_fit(own, text, special, random, count_of, name);
            if (HasFatalFailure()) return;
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
