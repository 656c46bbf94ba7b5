// Checks the naive versions with examples worked out by hand from the published rules.
#include <gtest/gtest.h>

#include "naive/bpe.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"

namespace crayon::naive::naive_test {
namespace {

// The pieces joined by '|', which the texts do not contain.
std::string pieces(std::string_view pattern, std::string_view text) {
    const Characters characters = decode_utf8(text);
    std::string joined;
    std::size_t begin = 0;
    for (std::size_t end : Pattern(pattern).split(characters.code_points)) {
        if (begin) joined += '|';
        joined += text.substr(characters.offsets[begin], characters.offsets[end] - characters.offsets[begin]);
        begin = end;
    }
    return joined;
}

std::string pieces_of_family(std::string_view family, std::string_view text) {
    for (const PublishedPattern& published : kPublishedPatterns) {
        if (published.family == family) return pieces(published.pattern, text);
    }
    return "no such family";
}

TEST(NaivePattern, FirstAlternativeThatMatchesWins) {
    EXPECT_EQ(pieces("a|ab|b", "ab"), "a|b");
    EXPECT_EQ(pieces("ab|a|b", "ab"), "ab");
    EXPECT_EQ(pieces("(?:a|ab)c|a|b", "abc"), "abc");  // comes back to the second choice of the group
    EXPECT_EQ(pieces("(?:ab)?c|a|b", "cabca"), "c|abc|a");
}

TEST(NaivePattern, QuantifiersAreGreedyAndGiveBack) {
    EXPECT_EQ(pieces("a*ab|a|c", "aaabc"), "aaab|c");
    EXPECT_EQ(pieces("a{1,3}", "aaaaa"), "aaa|aa");
    EXPECT_EQ(pieces("a+(?!b)|a|b", "aaab"), "aa|a|b");
    EXPECT_EQ(pieces("a?b|a", "abba"), "ab|b|a");
}

TEST(NaivePattern, CaseIsIgnoredOnlyInside) {
    EXPECT_EQ(pieces("(?i:ks)|x", "KSx\u212A\u017F"), "KS|x|\u212A\u017F");
    EXPECT_EQ(pieces("(?i:a)b|B|a", "AbaB"), "Ab|a|B");
}

TEST(NaivePattern, LongRunsNeedNoDeepStack) {
    const std::u32string spaces(300000, U' ');
    for (const PublishedPattern& published : kPublishedPatterns) {
        EXPECT_EQ(Pattern(published.pattern).split(spaces), std::vector<std::size_t>{spaces.size()});
        EXPECT_EQ(Pattern(published.pattern).split(spaces + U"a"),
                  (std::vector<std::size_t>{spaces.size() - 1, spaces.size() + 1}));
    }
}

TEST(NaivePattern, Gpt2) {
    EXPECT_EQ(pieces_of_family("gpt2", "Hello world's  end\n\n x"), "Hello| world|'s| | end|\n\n| x");
    EXPECT_EQ(pieces_of_family("gpt2", "don'T 12345!"), "don|'|T| 12345|!");
    EXPECT_EQ(pieces_of_family("gpt2", "e\u0301'\u017Ft"), "e|\u0301'|\u017Ft");
    EXPECT_EQ(pieces_of_family("gpt2", "a\u0085\u180E\uFEFFb"), "a|\u0085|\u180E\uFEFF|b");
}

TEST(NaivePattern, Cl100k) {
    EXPECT_EQ(pieces_of_family("cl100k", "I'LL don't 12345 !!\r\n\n  a"), "I|'LL| don|'t| |123|45| !!\r\n\n| | a");
    EXPECT_EQ(pieces_of_family("cl100k", "'\u017Ft \n \n b"), "'\u017F|t| \n \n| b");
    EXPECT_EQ(pieces_of_family("cl100k", "e\u0301x1\u0300x"), "e|\u0301x|1|\u0300x");
}

TEST(NaivePattern, O200k) {
    EXPECT_EQ(pieces_of_family("qwen2", "I'LL x 123\u0661 !!\r\n"), "I|'LL| x| |1|2|3|\u0661| !!\r\n");
    EXPECT_EQ(pieces_of_family("o200k", "HELLOWorld iPhone's"), "HELLOWorld| i|Phone's");
    EXPECT_EQ(pieces_of_family("o200k", "\u4E2DAa a\u4E2DA"), "\u4E2DAa| a\u4E2D|A");
    EXPECT_EQ(pieces_of_family("o200k", "don't's I'LLX"), "don't|'s| I'LL|X");
    EXPECT_EQ(pieces_of_family("o200k", "e\u0301 ./\n/x"), "e\u0301| ./\n/|x");
    EXPECT_EQ(pieces_of_family("o200k", "A\u4E2DB."), "A\u4E2D|B|.");  // the last caseless letter can end a lower phase
}

TEST(NaiveUtf8, MaximalSubparts) {
    // Table 3-8 and the examples around it in the Unicode Standard.
    EXPECT_EQ(decode_utf8("a\xF1\x80\x80\xE1\x80\xC2"
                          "b\x80"
                          "c\x80\xBF"
                          "d")
                  .code_points,
              U"a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    EXPECT_EQ(decode_utf8("a\xF1\x80\x80\xE1\x80\xC2"
                          "b")
                  .offsets,
              (std::vector<std::size_t>{0, 1, 4, 6, 7, 8}));
    EXPECT_EQ(decode_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82").code_points.size(), 8u);
    EXPECT_EQ(decode_utf8("\xED\xA0\x80\xF4\x91\x92\x93\xFF").code_points.size(), 8u);
    EXPECT_EQ(decode_utf8("\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA9").code_points, U"\U0001F600\u20AC\u00E9");
    EXPECT_EQ(decode_utf8("\xE2\x82").code_points, U"\uFFFD");
}

TEST(NaiveUtf8, RoundTripOfEveryCodePoint) {
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        ASSERT_EQ(decode_utf8(encode_utf8(std::u32string(1, c))).code_points, std::u32string(1, c));
    }
}

TEST(NaiveUtf16, LoneSurrogates) {
    EXPECT_EQ(utf8_of_utf16(u"a\u00E9\u20AC\U0001F600"), "a\u00E9\u20AC\U0001F600");
    const char16_t units[] = {0xDC00, 0xD83D, 0xD83D, 0xDE00, 0xD800};
    EXPECT_EQ(utf8_of_utf16({units, 5}), "\uFFFD\uFFFD\U0001F600\uFFFD");
}

TEST(NaiveBpe, LowestRankFirstThenLeftmost) {
    const Ranks ranks = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}, {"bc", 4}, {"ab", 5}, {"aa", 6}, {"abcd", 7}};
    EXPECT_EQ(merge("abc", ranks), (std::vector<std::uint32_t>{0, 4}));
    EXPECT_EQ(merge("aaa", ranks), (std::vector<std::uint32_t>{6, 0}));
    EXPECT_EQ(merge("abd", ranks), (std::vector<std::uint32_t>{5, 3}));
    EXPECT_EQ(merge("abcd", ranks), (std::vector<std::uint32_t>{0, 4, 3}));
    EXPECT_EQ(encode_piece("abcd", ranks), (std::vector<std::uint32_t>{7}));
    EXPECT_TRUE(merge("", ranks).empty());
}

TEST(NaiveBpe, LongPiecesMergeTheSame) {
    const Ranks ranks = {{"a", 0},  {"b", 1},    {"aa", 2},   {"ba", 3},    {"ab", 4},
                         {"bb", 5}, {"aaaa", 6}, {"baaa", 7}, {"aabab", 8}, {"bbaaa", 9}};
    for (unsigned bits = 0; bits < 1u << 12; ++bits) {
        std::string piece;
        for (unsigned i = 0; i < 12; ++i) piece += bits >> i & 1 ? 'b' : 'a';
        ASSERT_EQ(merge_long(piece, ranks), merge(piece, ranks)) << piece;
    }
    EXPECT_TRUE(merge_long("", ranks).empty());
    EXPECT_EQ(merge_long("b", ranks), (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace crayon::naive::naive_test
