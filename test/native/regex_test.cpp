// The matcher of patterns, with programs that lib/vocabularies/patterns wrote and parts of texts that npm tokenizers gave.
#include "general/regex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "fuzz_setting.h"
#include "general/pattern.h"
#include "general_sections.h"
#include "memory_limit.h"
#include "regex_programs.h"
#include "share.h"
#include "structure/damage.h"

namespace crayon::test::regex {

using general::check_regex;
using general::Match;
using general::Regex;

using Program = RegexProgram;

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
    for (const Program& each : regex_programs()) {
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
    for (const Program& each : regex_programs()) {
        Regex regex(each.words.data());
        for (const std::string_view text :
             {"\xC3", "a\xE2\x82", "\x80\xBF", "ab\xF0\x9F\x91", "\xFF\xC0\xAF", "\xED\xA0\x80 b"}) {
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
    for (const auto& [pattern, unit] :
         {Case{"(a*)*b", "a"}, Case{"(?:a|b)*c", "ab"}, Case{"(?:a||b)*", "b"}, Case{"(?<=(?:a|b)c)d(?=(?:e|f)*g)", "acdef"},
          Case{R"([^\n]*?x|\n)", "y"}, Case{"a{2,3}?b{2}c*+", "aabbc"}, Case{"(?:(?:x|y|z){3}|w)*", "xyzwx"},
          Case{"(?>a|ab)c|ab", "ab"}, Case{"a{0,9999}b|a{1,9999}?c|a{9999}d", "a"}, Case{"(?:a{0,9999}|c)*b", "ac"}}) {
        const Program& each = regex_program(pattern);
        Regex regex(each.words.data());
        const auto work = [&, &part = unit](size_t count, bool at_once) {
            std::string text;
            for (size_t i = 0; i < count; ++i) text += part;
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
    const Program& each = regex_program(R"((a|b)\1+)");
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

// Programs that pass, and that no compiler writes.
TEST(RegexTest, BoundsWhatIsNotLinear) {
    using namespace layout;
    const auto run = [](const RegexCode& made, u64 allowed = ~u64{0}) {
        const std::string_view text = "abc";
        const std::vector<u32> words = words_of(made);
        EXPECT_TRUE(check_regex(words.data(), words.size()).ok());
        Regex regex(words.data());
        regex.allow_work(allowed);
        regex.start(bytes(text), text.size());
        Match match;
        const Status status = regex.find(0, match);
        EXPECT_EQ(status.code, CRAYON_PATTERN_BUDGET);
        EXPECT_FALSE(match.found);
        return regex.work();
    };
    // 40 alternatives of nothing in a row, with no place where they join: 2^40 ways.
    RegexCode ways;
    for (u32 i = 0; i < 40; ++i) {
        const u32 next = kRegexHead + 4 * i + 4;
        ways.code.insert(ways.code.end(), {kRegexPush, next, kRegexJump, next});
    }
    ways.code.insert(ways.code.end(), {kRegexCharacter, 'x', kRegexMatch});
    EXPECT_LT(run(ways), 50'000u);
    // Alternatives without end, and registers that change without end.
    constexpr u32 kLoop = kRegexHead;
    EXPECT_LT(run({.code = {kRegexPush, kLoop + 4, kRegexJump, kLoop, kRegexCharacter, 'x', kRegexMatch}, .flags = kRegexBudget}),
              20'000'000u);
    EXPECT_LT(run({.code = {kRegexStore, 0, kRegexJump, kLoop}, .flags = kRegexBudget, .registers = 1}), 20'000'000u);
}

TEST(RegexTest, HasOneBudgetForAllTexts) {
    const Program& each = regex_program(R"((a|b)\1+)");
    Regex regex(each.words.data());
    const std::string text(10000, 'c');
    Match match;
    regex.allow_work(50000);
    const auto texts = [&] {
        for (int count = 0;; ++count) {
            regex.start(bytes(text), text.size());
            if (!regex.find(0, match).ok()) return count;
        }
    };
    const int whole = texts();
    EXPECT_GT(whole, 0);
    EXPECT_EQ(texts(), 0);
    regex.refill();
    EXPECT_EQ(texts(), whole);
}

// A group whose end is the mark of an atomic group, 30 alternatives: it is no text.
TEST(RegexTest, RefersToNoTextBeyondTheEnd) {
    using namespace layout;
    std::vector<u32> code = {kRegexRepeat, 0, 15, 15, kPossessive, 0, 0, kRegexStore, 0};
    for (u32 i = 0; i < 30; ++i) code.insert(code.end(), {kRegexPush, kRegexHead + 75});
    code.insert(code.end(), {kRegexOpen, 1, kRegexBack, 15, kRegexReference, 0, kRegexMatch});
    const std::vector<u32> words = words_of({.code = code, .flags = kRegexBudget, .registers = 4});
    ASSERT_TRUE(check_regex(words.data(), words.size()).ok());
    Regex regex(words.data());
    const std::vector<u8> text(20, 'a');
    regex.start(text.data(), text.size());
    Match match;
    EXPECT_TRUE(regex.find(0, match).ok());
    EXPECT_EQ(match.end, 15u);  // by an alternative
}

// A program that continues inside of a character, as two lookarounds share a register: stages read whole ones.
TEST(RegexTest, CutsNoCharacters) {
    using namespace layout;
    const std::vector<u32> words = words_of(
        {.code = {kRegexPush, kRegexHead + 8, kRegexOpen, 0, kRegexOpen, 2, kRegexCloseAhead, 0, kRegexMatch}, .registers = 5});
    ASSERT_TRUE(check_regex(words.data(), words.size()).ok());
    Regex regex(words.data());
    const u8 text[] = {0xC3, 0xA9, 'a'};
    const general::Alignment alignments[] = {general::Alignment::of(0, 2), general::Alignment::of(0, 2),
                                             general::Alignment::of(2, 1)};
    general::PatternRanges ranges;
    EXPECT_EQ(find_regex({text, alignments, 3, {0, 3}}, regex, &ranges).code, CRAYON_TEXT_REFUSED);
}

TEST(RegexTest, RefusesDamagedPrograms) {
    size_t refused = 0, accepted = 0;
    for (const Program& each : regex_programs()) {
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

// Programs of any instructions, whose operands mostly fit.
std::vector<u32> random_program(Random& random) {
    const auto below = [&](std::size_t most) { return static_cast<u32>(random.below(most)); };
    RegexCode made = {.code = {}, .flags = below(4), .registers = 10, .places = 4, .inner_places = 4};
    const u32 size = 16 + below(random.one_in(4) ? 200 : 40);
    // Target words, which are set to where instructions begin.
    std::vector<std::size_t> targets, begins;
    while (made.code.size() < size) {
        const std::size_t at = made.code.size();
        begins.push_back(at);
        const auto write = [&](std::initializer_list<u32> words) { made.code.insert(made.code.end(), words); };
        const auto to = [&] {
            targets.push_back(made.code.size());
            made.code.push_back(0);
        };
        const u32 mark = below(4), local = below(6), count = below(3);
        const bool has_budget = made.flags & 1;
        const u32 op = below(has_budget ? layout::kRegexOpCount : u32{layout::kRegexReference});
        switch (op) {
            case layout::kRegexCharacter:
                write({op, 'a' + below(3)});
                break;
            case layout::kRegexSet:
                write({op, below(3)});
                break;
            case layout::kRegexRepeat: {
                const u32 least = below(4), most = below(3) ? layout::kRegexNone : 1 + below(4);
                const bool is_fixed = random.one_in(3) && least > 0;
                write({op, below(3), is_fixed ? least : 0, is_fixed ? least : most, is_fixed ? 2 : below(3), below(4)});
                if (random.one_in(2))
                    to();
                else
                    write({0});
                break;
            }
            case layout::kRegexAhead:
            case layout::kRegexBehind:
                write({op, below(3), below(2)});
                break;
            case layout::kRegexAssert:
                write({op, below(8), below(3)});
                break;
            case layout::kRegexPlace:
                write({op, below(2), count % 2});
                if (count % 2) write({local});
                break;
            case layout::kRegexInnerPlace:
                write({op, below(2)});
                to();
                write({count % 2});
                if (count % 2) write({local});
                break;
            case layout::kRegexOpenNot:
                write({op, mark});
                to();
                break;
            case layout::kRegexOpen:
            case layout::kRegexCloseAtomic:
            case layout::kRegexCloseAhead:
            case layout::kRegexCloseNot:
                write({op, mark});
                break;
            case layout::kRegexBack:
                write({op, below(3)});
                break;
            case layout::kRegexStore:
                write({op, below(10)});
                break;
            case layout::kRegexAdvanced:
                write({op, local});
                to();
                break;
            case layout::kRegexReference:
                write({op, below(9)});
                break;
            case layout::kRegexJump:
            case layout::kRegexPush:
                write({op});
                to();
                break;
            default:
                write({op});
        }
    }
    begins.push_back(made.code.size());
    made.code.push_back(layout::kRegexMatch);
    for (const std::size_t target : targets) {
        // Mostly forwards: loops have to pass places.
        const std::size_t next =
            static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), target) - begins.begin());
        const std::size_t at =
            random.one_in(4) || next == begins.size() ? random.below(begins.size()) : next + random.below(begins.size() - next);
        made.code[target] = layout::kRegexHead + static_cast<u32>(begins[at]);
    }
    return words_of(made);
}

std::string random_text(Random& random) {
    static constexpr const char* kParts[] = {
        "a", "b", "c", "ab", "aaaaaaaa", "\n", " ", "\xC3\xA9", "\xE4\xB8\xAD", "A", "\xF0\x9F\x91\xA9", "\xFF", "\xE2\x96"};
    std::string text;
    for (std::size_t parts = random.below(random.one_in(8) ? 60 : 16); parts > 0; --parts)
        text += kParts[random.below(std::size(kParts))];
    return text;
}

// Whatever passes the check ends, within the text and in bounded steps: generated programs, and those of the compiler, damaged.
// `npm run fuzz:structure` runs more.
TEST(RegexTest, StructureOfAnyProgramThatPasses) {
    const std::uint64_t seed = fuzz_setting("CRAYON_FUZZ_SEED", 1), one = fuzz_setting("CRAYON_FUZZ_CASE", 0);
    const std::uint64_t cases = one ? 1 : 100 * fuzz_setting("CRAYON_FUZZ_CASES", sample(2000));
    std::uint64_t accepted = 0, matched = 0;
    for (std::uint64_t number = one ? one : 1; number < (one ? one : 1) + cases; ++number) {
        Random random(Random(seed).next() + number);
        SCOPED_TRACE("CRAYON_FUZZ_SEED=" + std::to_string(seed) + " CRAYON_FUZZ_CASE=" + std::to_string(number));
        const RegexProgram& original = regex_programs()[random.below(regex_programs().size())];
        const bool is_random = random.one_in(2);
        std::vector<u32> words = is_random ? random_program(random) : original.words;
        if (!is_random || random.one_in(8)) damage_regex(words, random);
        const Status status = check_regex(words.data(), words.size());
        if (!status.ok()) {
            ASSERT_EQ(status.code, CRAYON_CORRUPT_STRUCTURE);
            ASSERT_TRUE(status.position < words.size() || words.empty());
            continue;
        }
        ++accepted;
        const std::vector<u32> exact(words);  // nothing behind it may be read
        Regex regex(exact.data());
        const bool has_budget = exact[1] & layout::kRegexBudget;
        for (int texts = 0; texts < 3; ++texts) {
            std::string text = random_text(random);
            if (!is_random && random.one_in(2)) text += original.text;
            const std::vector<char> copy(text.begin(), text.end());
            if (has_budget || random.one_in(2))
                regex.allow_work(random.one_in(2) ? 0 : 50000);
            else
                regex.allow_work(~u64{0});
            regex.refill();
            regex.start(bytes({copy.data(), copy.size()}), copy.size());
            std::size_t before = 0, matches = 0;
            for (Match match;; before = match.end) {
                const Status found = regex.next(match);
                if (!found.ok()) {
                    ASSERT_EQ(found.code, CRAYON_PATTERN_BUDGET);
                    ASSERT_LE(found.position, copy.size());
                }
                if (!found.ok() || !match.found) break;
                ++matched;
                ASSERT_LE(match.begin, match.end);
                ASSERT_TRUE(match.end <= copy.size() && match.end >= before);
                ASSERT_LE(++matches, copy.size() + 1);
            }
            // Work counts what a step may take at once only when it is done.
            const u64 positions = copy.size() + 1, steps = exact.size() + positions * positions;
            ASSERT_LE(regex.work(), has_budget ? 200'000u : 4096 + 64 * positions * steps);
        }
    }
    EXPECT_GT(accepted, cases / 20);
    EXPECT_GT(matched, accepted / 2);
    std::printf("programs: %llu of %llu pass, %llu matches\n", static_cast<unsigned long long>(accepted),
                static_cast<unsigned long long>(cases), static_cast<unsigned long long>(matched));
}

TEST(RegexTest, GivesAllMatchesOfAText) {
    const std::vector<u32>& words = regex_program("(a*)*b").words;
    const u32 count = static_cast<u32>(words.size());
    const std::string_view text = "aaab aaaa b";
    crayon_result result = {};
    u32* matches = nullptr;
    ASSERT_EQ(crayon_regex_matches(words.data(), count, bytes(text), 11, &matches, &result), CRAYON_OK);
    ASSERT_EQ(result.count, 4u);
    EXPECT_EQ(std::vector<u32>(matches, matches + 4), (std::vector<u32>{0, 4, 10, 11}));
    std::free(matches);
    EXPECT_EQ(crayon_regex_matches(words.data(), count, nullptr, 0, &matches, &result), CRAYON_OK);
    EXPECT_EQ(result.count, 0u);
    EXPECT_EQ(matches, nullptr);
    EXPECT_EQ(crayon_regex_matches(words.data(), count - 1, bytes(text), 11, &matches, &result), CRAYON_CORRUPT_STRUCTURE);
    EXPECT_EQ(crayon_regex_matches(nullptr, 0, bytes(text), 11, &matches, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_regex_matches(words.data(), count, bytes(text), 11, nullptr, &result), CRAYON_INVALID_ARGUMENT);
}

TEST(RegexTest, EndsWhereMemoryIsShort) {
    const Program& each = regex_program("(?:a|b)*c");
    const std::string text(8'000'000, 'a');
    Regex regex(each.words.data());
    regex.start(bytes(text), text.size());
    const MemoryLimit limit(1 << 20);
    if (!limit.works()) GTEST_SKIP() << "there is no limit of memory here";
    Match match;
    EXPECT_EQ(regex.find(0, match).code, CRAYON_OUT_OF_MEMORY);
}

}  // namespace crayon::test::regex
