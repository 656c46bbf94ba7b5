// The matcher of patterns, with programs that lib/patterns wrote and parts of texts that npm tokenizers gave.
#include "general/regex.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "memory_limit.h"

namespace crayon::test::regex {

using general::check_regex;
using general::Match;
using general::Regex;

struct Program {
    const char* pattern;
    const char* text;
    const char* parts;
    std::vector<u32> words;
};

const std::vector<Program>& programs() {
    static const std::vector<Program> all = {
#include "regex_programs.inc"
    };
    return all;
}

const Program& program(std::string_view pattern) {
    for (const Program& each : programs()) {
        if (each.pattern == pattern) return each;
    }
    ADD_FAILURE() << pattern;
    return programs().front();
}

bool has_budget(const Program& program) { return program.words[1] & layout::kRegexBudget; }

const u8* bytes(std::string_view text) { return reinterpret_cast<const u8*>(text.data()); }

// Matches, and what is between them, but for empty ones.
std::string parts_of(Regex& regex, std::string_view text) {
    std::string parts;
    size_t before = 0;
    const auto add = [&](size_t begin, size_t end, const char* mark) {
        if (begin == end) return;
        parts += (parts.empty() ? "" : " ") + std::to_string(begin) + "-" + std::to_string(end) + mark;
    };
    regex.start(bytes(text), text.size());
    for (Match match;;) {
        const Status status = regex.next(match);
        EXPECT_TRUE(status.ok()) << status.code;
        if (!status.ok() || !match.found) break;
        add(before, match.begin, "");
        add(match.begin, match.end, "!");
        before = match.end;
    }
    add(before, text.size(), "");
    return parts;
}

TEST(RegexTest, FindsTheMatchesOfTheReference) {
    for (const Program& each : programs()) {
        ASSERT_TRUE(check_regex(each.words.data(), each.words.size()).ok()) << each.pattern;
        Regex regex(each.words.data());
        EXPECT_EQ(parts_of(regex, each.text), each.parts) << each.pattern;
        // One matcher serves several texts.
        EXPECT_EQ(parts_of(regex, ""), "") << each.pattern;
        EXPECT_EQ(parts_of(regex, each.text), each.parts) << each.pattern;
        if (has_budget(each)) continue;
        regex.allow_work(0);
        EXPECT_EQ(parts_of(regex, each.text), each.parts) << each.pattern;
    }
}

TEST(RegexTest, ReadsAnyBytes) {
    for (const Program& each : programs()) {
        Regex regex(each.words.data());
        for (const std::string_view text : {"\xC3", "a\xE2\x82", "\x80\xBF", "ab\xF0\x9F\x91", "\xFF\xC0\xAF", "\xED\xA0\x80 b"}) {
            const std::string exact(text);  // nothing behind it may be read
            const std::vector<char> copy(exact.begin(), exact.end());
            parts_of(regex, {copy.data(), copy.size()});
        }
    }
}

TEST(RegexTest, ReusesWhatFailed) {
    // Each is exponential, or at least quadratic, for a matcher that does not remember; so is the search for the next match.
    struct Case {
        const char* pattern;
        std::string unit;
    };
    for (const auto& [pattern, unit] : {Case{"(a*)*b", "a"}, Case{"(?:a*?|b)+?c", "ab"}, Case{"(?:a|b)*c", "ab"}, Case{"(?:a||b)*", "b"},
                                        Case{"(?<=(?:a|b)c)d(?=(?:e|f)*g)", "acdef"}, Case{R"([^\n]*?x|\n)", "y"}, Case{"a{2,3}?b{2}c*+", "aabbc"},
                                        Case{"(?:(?:x|y|z){3}|w)*", "xyzwx"}, Case{"(?>a|ab)c|ab", "ab"}, Case{"(?<=ba*)a|(?<!c(?:a|aa)*)d", "a"},
                                        Case{"a{0,9999}b|a{1,9999}?c|a{9999}d", "a"}, Case{"(?:a{0,9999}|c)*b", "ac"}, Case{R"(\y)", "\U0001F1E6"}}) {
        const Program& each = program(pattern);
        Regex regex(each.words.data());
        const auto work = [&](size_t count, bool at_once) {
            std::string text;
            for (size_t i = 0; i < count; ++i) text += unit;
            regex.allow_work(at_once ? 0 : ~u64{0});
            parts_of(regex, text);
            return static_cast<double>(regex.work()) / static_cast<double>(text.size());
        };
        for (const bool at_once : {false, true}) {
            const double least = work(2000, at_once), most = work(16000, at_once);
            EXPECT_LT(most, 1.2 * least + 1) << pattern;
            EXPECT_LT(most, 8.0 * static_cast<double>(each.words.size())) << pattern;
        }
    }
}

TEST(RegexTest, EndsWhenItsBudgetIsUsedUp) {
    const Program& each = program(R"((a|b)\1+)");
    Regex regex(each.words.data());
    const std::string text(10000, 'c');
    regex.allow_work(5000);
    regex.start(bytes(text), text.size());
    Match match;
    const Status status = regex.find(7, match);
    EXPECT_EQ(status.code, CRAYON_PATTERN_BUDGET);
    EXPECT_EQ(status.position, 7u);
    EXPECT_FALSE(match.found);
}

TEST(RegexTest, RefusesDamagedPrograms) {
    size_t refused = 0, accepted = 0;
    for (const Program& each : programs()) {
        std::vector<u32> words = each.words;
        for (size_t at = 0; at < words.size(); ++at) {
            const u32 before = words[at];
            for (const u32 value : {0u, 1u, 2u, before - 1, before + 1, before + 7, before ^ 16, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
                if (value == before) continue;
                words[at] = value;
                const Status status = check_regex(words.data(), words.size());
                if (!status.ok()) {
                    EXPECT_EQ(status.code, CRAYON_CORRUPT_STRUCTURE);
                    EXPECT_LT(status.position, words.size());
                    ++refused;
                    continue;
                }
                // It matches something else, in bounded time.
                ++accepted;
                Regex regex(words.data());
                if (words[1] & layout::kRegexBudget) regex.allow_work(20000);
                regex.start(bytes(each.text), std::strlen(each.text));
                for (Match match; regex.next(match).ok() && match.found;) {
                    ASSERT_LE(match.begin, match.end);
                    ASSERT_LE(match.end, std::strlen(each.text));
                }
                EXPECT_LT(regex.work(), 2'000'000u) << each.pattern << " word " << at << " is " << value;
            }
            words[at] = before;
        }
        for (size_t size = 0; size < words.size(); ++size) EXPECT_FALSE(check_regex(words.data(), size).ok());
        words.push_back(0);
        EXPECT_FALSE(check_regex(words.data(), words.size()).ok());
    }
    EXPECT_GT(refused, accepted);
}

TEST(RegexTest, EndsWhereMemoryIsShort) {
    const Program& each = program("(?:a|b)*c");
    const std::string text(8'000'000, 'a');
    Regex regex(each.words.data());
    regex.start(bytes(text), text.size());
    const MemoryLimit limit(1 << 20);
    if (!limit.works()) GTEST_SKIP() << "there is no limit of memory here";
    Match match;
    EXPECT_EQ(regex.find(0, match).code, CRAYON_OUT_OF_MEMORY);
}

}  // namespace crayon::test::regex
