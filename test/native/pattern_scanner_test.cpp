// Patterns as data: with the automata of the families' patterns, the pretokenizer finds the same pieces as the families' own
// pretokenizers; text between matches is cut like Hugging Face's Split; the validator refuses every broken rule.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cartridge/section_checks.h"
#include "crayon/crayon.h"
#include "crayon/layout/cartridge.h"
#include "handmade_cartridge.h"
#include "kernels.h"
#include "pattern_sections.h"
#include "read_parts.h"
#include "scan_text.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::pattern_scanner_test {
namespace {

using test::Automaton;
using test::automaton_named;
using test::Bytes;
using test::digits;
using test::section_of;
using test::Windowing;

// A validated section at the 64-byte boundary that cartridges use.
class Opened {
public:
    explicit Opened(const Bytes& section) : words_((section.size() + 127) / 8) {
        u8* const at = reinterpret_cast<u8*>(words_.data());
        begin_ = at + (64 - reinterpret_cast<std::uintptr_t>(at) % 64) % 64;
        std::copy(section.begin(), section.end(), begin_);
        const layout::Pattern* first = nullptr;
        status = read_patterns(begin_, {layout::kPattern, 0, section.size()}, &first);
        if (status.ok()) patterns = Patterns(first, section.size());
        if (status.ok()) inner = Patterns(first, section.size(), true);
    }

    Status status;
    Patterns patterns, inner;

private:
    std::vector<u64> words_;
    u8* begin_;
};

// On every kernel, in windows of each kind.
void expect_boundaries(const std::string& text, const Patterns& patterns, const std::vector<std::size_t>& expected,
                       std::uint64_t seed,
                       const std::vector<Windowing::Kind>& kinds = {Windowing::kWhole, Windowing::kRandom,
                                                                    Windowing::kByteByByte}) {
    test::for_each_kernel([&](const Kernel& kernel) {
        for (const Windowing::Kind kind : kinds) {
            const Windowing way = {kind, seed};
            const test::Scanned found = test::scan_text(kernel.scan(layout::kPatternPretokenizer), text, way, &patterns);
            ASSERT_EQ(found.fault, "") << "seed " << seed << ", " << name_of(way);
            ASSERT_EQ(found.boundaries, expected) << "seed " << seed << ", " << name_of(way);
        }
    });
}

class PatternScannerTest : public testing::TestWithParam<layout::Pretokenizer> {
protected:
    static std::string_view name() {
        constexpr std::string_view kNames[] = {"gpt2", "cl100k", "o200k", "qwen2", "", "", "tekken"};
        return kNames[GetParam() - 1];
    }
    static Bytes section() {
        if (GetParam() != layout::kDeepseek3) return section_of(automaton_named(name()), layout::kAllPatternCuts);
        Bytes all;
        for (const Automaton& each :
             {automaton_named("deepseek3, numbers"), test::ideographs_and_kana(), automaton_named("deepseek3, the rest")}) {
            const Bytes one = section_of(each, layout::kAllPatternCuts);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }
};

TEST_P(PatternScannerTest, FindsTheSamePiecesAsTheFamily) {
    const Opened opened(section());
    ASSERT_TRUE(opened.status.ok()) << opened.status.position;
    const ScanFunction family = kernel_at(0)->scan(GetParam());
    std::size_t pieces = 0;
    for (std::uint64_t seed = 1; seed <= test::sample(6000, 200); ++seed) {
        const std::string text = test::TextGenerator(seed).utf8();
        const std::vector<std::size_t> expected = test::scan_text(family, text, {Windowing::kWhole, 0}).boundaries;
        pieces += expected.size();
        std::vector<Windowing::Kind> kinds = {Windowing::kWhole, Windowing::kRandom};
        if (seed % 16 == 0) kinds.push_back(Windowing::kByteByByte);
        expect_boundaries(text, opened.patterns, expected, seed, kinds);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(pieces, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Families, PatternScannerTest,
                         testing::Values(layout::kGpt2, layout::kCl100k, layout::kO200k, layout::kQwen2, layout::kTekken,
                                         layout::kDeepseek3));

struct Part {
    std::size_t end;
    bool is_match;
};

// Matches of [0-9]{1,3}, and with `others` of such bytes, and the gaps between them.
std::vector<Part> parts_of(const std::string& text, std::string_view others = {}) {
    std::vector<Part> parts;
    for (std::size_t at = 0; at < text.size();) {
        const auto is_digit = [&](std::size_t i) {
            return i < text.size() && ((text[i] >= '0' && text[i] <= '9') || others.find(text[i]) != others.npos);
        };
        std::size_t end = at;
        while (end < at + 3 && is_digit(end)) ++end;
        const bool is_match = end > at;
        while (!is_match && end < text.size() && !is_digit(end)) ++end;
        parts.push_back({at = end, is_match});
    }
    return parts;
}

// Joined like NormalizedString::split of Hugging Face's tokenizers, one rule after the other.
std::vector<std::size_t> joined(const std::vector<Part>& parts, std::string_view behavior) {
    std::vector<std::size_t> ends;
    if (behavior == "isolated") {
        for (const Part& part : parts) ends.push_back(part.end);
    } else if (behavior == "contiguous") {
        bool before = false;
        for (const Part& part : parts) {
            if (part.is_match == before && !ends.empty())
                ends.back() = part.end;
            else
                ends.push_back(part.end);
            before = part.is_match;
        }
    } else if (behavior == "merged with previous") {
        bool before = false;
        for (const Part& part : parts) {
            if (part.is_match && !before && !ends.empty())
                ends.back() = part.end;
            else
                ends.push_back(part.end);
            before = part.is_match;
        }
    } else {  // merged with next: from the end backwards; a match keeps the end of the text after it
        bool after = false;
        std::vector<std::size_t> reversed;
        for (std::size_t i = parts.size(); i-- > 0;) {
            if (!(parts[i].is_match && !after && !reversed.empty())) reversed.push_back(parts[i].end);
            after = parts[i].is_match;
        }
        ends.assign(reversed.rbegin(), reversed.rend());
    }
    return ends;
}

TEST(PatternScanner, CutsGapsAsTheBehaviorSays) {
    const std::pair<std::string_view, u32> behaviors[] = {
        {"isolated", layout::kAllPatternCuts},
        {"contiguous", layout::kCutBeforeGaps | layout::kCutAfterGaps},
        {"merged with previous", layout::kCutBetweenMatches | layout::kCutBeforeGaps},
        {"merged with next", layout::kCutBetweenMatches | layout::kCutAfterGaps},
    };
    for (const auto& [behavior, cuts] : behaviors) {
        SCOPED_TRACE(behavior);
        const Opened opened(section_of(digits(), cuts));
        ASSERT_TRUE(opened.status.ok()) << opened.status.position;
        for (std::uint64_t seed = 1; seed <= test::sample(2000, 100); ++seed) {
            test::Random random(seed);
            std::string text;
            for (std::size_t n = random.below(40); n > 0; --n) {
                constexpr std::string_view kThings[] = {"1", "23", "456", "a", "bc", "\xC3\xA9", "\xE4\xB8\xAD", "\xFF", " "};
                const std::string_view thing = kThings[random.below(std::size(kThings))];
                for (std::size_t k = 1 + random.below(random.one_in(8) ? 90 : 2); k > 0; --k) text += thing;
            }
            const std::vector<std::size_t> expected = joined(parts_of(text), behavior);
            expect_boundaries(text, opened.patterns, expected, seed);
            if (HasFatalFailure()) return;
        }
    }
}

Bytes one_after_the_other(const std::vector<Bytes>& sections) {
    Bytes all;
    for (const Bytes& section : sections) all.insert(all.end(), section.begin(), section.end());
    return all;
}

// Each splits the pieces of the previous one, as separate texts.
TEST(PatternScanner, SplitsThePiecesOfThePreviousPattern) {
    const u32 all = layout::kAllPatternCuts;
    const struct {
        std::vector<Bytes> sections;
        bool restarts;  // a piece depends on nothing before it, so a scan may begin at each
    } lists[] = {
        {{section_of(digits(), all), section_of(automaton_named("cl100k"), all)}, true},
        {{section_of(digits(), all), section_of(digits(), all), section_of(automaton_named("gpt2"), all)}, true},
        {{section_of(digits(), all), section_of(digits(), layout::kCutBetweenMatches | layout::kCutAfterGaps)}, true},
        {{section_of(automaton_named("gpt2"), all), section_of(digits(), layout::kCutBeforeGaps | layout::kCutAfterGaps),
          section_of(automaton_named("cl100k"), layout::kCutBeforeGaps | layout::kCutAfterGaps)},
         false},
        {{section_of(digits(), layout::kCutBetweenMatches | layout::kCutBeforeGaps), section_of(automaton_named("o200k"), all)},
         false},
        {{section_of(automaton_named("gpt2"), all), section_of(automaton_named("cl100k"), all), section_of(digits(), all),
          section_of(automaton_named("qwen2"), all)},
         false},
    };
    for (const auto& list : lists) {
        const auto& sections = list.sections;
        const bool restarts = list.restarts;
        const Opened opened(one_after_the_other(sections));
        ASSERT_TRUE(opened.status.ok()) << opened.status.position;
        ASSERT_EQ(opened.patterns.count, sections.size());
        std::vector<Opened> each(sections.begin(), sections.end());
        for (std::uint64_t seed = 1; seed <= test::sample(1500, 15); ++seed) {
            std::string text = test::TextGenerator(seed).utf8();
            if (seed % 10 == 0) text += std::string(5000, 'x') + "12345" + std::string(300, ' ') + "y";
            std::vector<std::size_t> expected = {text.size()};
            if (text.empty()) expected.clear();
            for (const Opened& one : each) {
                std::vector<std::size_t> finer;
                std::size_t begin = 0;
                for (const std::size_t end : expected) {
                    const test::Scanned pieces =
                        test::scan_text(kernel_at(0)->scan(layout::kPatternPretokenizer), text.substr(begin, end - begin),
                                        {Windowing::kWhole, 0}, &one.patterns);
                    for (const std::size_t boundary : pieces.boundaries) finer.push_back(begin + boundary);
                    begin = end;
                }
                expected = finer;
            }
            std::vector<Windowing::Kind> kinds = {Windowing::kWhole};
            if (restarts) kinds.push_back(Windowing::kRandom);
            if (seed % 16 == 0) kinds.push_back(Windowing::kByteByByte);
            expect_boundaries(text, opened.patterns, expected, seed, kinds);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(PatternScanner, TheValidatorRefusesEveryBrokenRule) {
    const Bytes good = section_of(digits(), layout::kAllPatternCuts);
    ASSERT_TRUE(Opened(good).status.ok());
    constexpr std::size_t kBlockOf = 64, kBlocks = kBlockOf + 2 * 8704;
    const std::size_t table = good.size() - 64, end = good.size();
    struct Case {
        const char* what;
        std::size_t position;
        std::function<void(Bytes&)> damage;
    };
    const Case cases[] = {
        {"shorter than its head", 0, [](Bytes& b) { b.resize(60); }},
        {"one state", 0, [](Bytes& b) { test::put32(b, 0, 1); }},
        {"too many states", 0, [](Bytes& b) { test::put32(b, 0, 129); }},
        {"no class", 4, [](Bytes& b) { test::put32(b, 4, 0); }},
        {"too many classes", 4, [](Bytes& b) { test::put32(b, 4, 128); }},
        {"rows too long", 8, [](Bytes& b) { test::put32(b, 8, 8); }},
        {"rows too short", 8, [](Bytes& b) { test::put32(b, 8, 2); }},
        {"no block", 12, [](Bytes& b) { test::put32(b, 12, 0); }},
        {"too many blocks", 12, [](Bytes& b) { test::put32(b, 12, 8705); }},
        {"an unknown cut", 16, [](Bytes& b) { test::put32(b, 16, 16 + 7); }},
        {"a first one that is an inner one", 16, [](Bytes& b) { test::put32(b, 16, 8 + 7); }},
        {"another one after an inner one", 2 * end + 16,
         [&](Bytes& b) {
             for (int i = 0; i < 2; ++i) b.insert(b.end(), good.begin(), good.end());
             test::put32(b, end + 16, 8 + 7);
         }},
        {"a dropped class that is none", 24, [](Bytes& b) { test::put32(b, 24, 1u << 2); }},
        {"the last dropped class", 36, [](Bytes& b) { test::put32(b, 36, 1u << 31); }},
        {"a reserved field", 40, [](Bytes& b) { test::put32(b, 40, 1); }},
        {"the last reserved field", 60, [](Bytes& b) { test::put32(b, 60, 1); }},
        {"another length", 20, [&](Bytes& b) { test::put32(b, 20, test::get32(b, 20) + 64); }},
        {"more blocks than there are", 20, [](Bytes& b) { test::put32(b, 12, 3); }},
        {"longer than the section", 0, [&](Bytes& b) { b.resize(end - 64); }},
        {"a second one that is no more than a beginning", end, [&](Bytes& b) { b.resize(end + 2); }},
        {"a second one of zeros", end, [&](Bytes& b) { b.resize(2 * end); }},
        {"a fifth one", 4 * end,
         [&](Bytes& b) {
             for (int i = 0; i < 4; ++i) b.insert(b.end(), good.begin(), good.end());
         }},
        {"bytes after the table", table + 40, [&](Bytes& b) { b[table + 40] = 1; }},
        {"ASCII elsewhere", kBlockOf, [](Bytes& b) { test::put16(b, kBlockOf, 1); }},
        {"a block that is none", kBlockOf + 2 * 8703, [](Bytes& b) { test::put16(b, kBlockOf + 2 * 8703, 2); }},
        {"a class that is none", kBlocks + 255, [](Bytes& b) { b[kBlocks + 255] = 2; }},
        {"a state that has stopped goes on", table, [&](Bytes& b) { test::put16(b, table, 4); }},
        {"a state that is none", table + 8, [&](Bytes& b) { test::put16(b, table + 8, 20); }},
        {"between two states", table + 8, [&](Bytes& b) { test::put16(b, table + 8, 2); }},
        {"a match of nothing", table + 8, [&](Bytes& b) { test::put16(b, table + 8, 0x8000); }},
        {"after the end of the text", table + 20, [&](Bytes& b) { test::put16(b, table + 20, 0x8004); }},
        {"padding of a row", table + 14, [&](Bytes& b) { test::put16(b, table + 14, 4); }},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.what);
        Bytes bad = good;
        each.damage(bad);
        const Status status = Opened(bad).status;
        EXPECT_EQ(status.code, CRAYON_CORRUPT_STRUCTURE);
        EXPECT_EQ(status.section, layout::kPattern);
        EXPECT_EQ(status.position, each.position);
    }
}

// Classes: a, b, others. A match of a*b|a on "aaaa" reads to the end, for each a.
TEST(PatternScanner, TheValidatorRefusesPatternsThatRereadText) {
    Automaton automaton{"a*b|a",
                        4,
                        3,
                        std::vector<u32>(128, 2),
                        {},
                        {},
                        {0, 0, 0, 0,  //
                         2, 3, 0, 0,  // the first character
                         0x8002, 3, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000}};
    automaton.ascii['a'] = 0;
    automaton.ascii['b'] = 1;
    automaton.by_property = {{"White_Space", 2}};
    // Accepting each a, like a+b|a+, it is linear. If only the first one ends a match, it is a*b|a.
    const auto opens = [&] { return Opened(make_section(automaton, layout::kAllPatternCuts)).status.ok(); };
    EXPECT_TRUE(opens());
    automaton.state_count = 5;
    automaton.table.insert(automaton.table.end(), {4, 3, 0, 0});
    automaton.table[2 * 4] = 0x8004;
    EXPECT_FALSE(opens());
}

struct View {
    crayon_cartridge* cartridge;
    crayon_tokenizer* tokenizer = nullptr;
    crayon_encoder* encoder = nullptr;

    View(crayon_cartridge* opened, u32 index) : cartridge(opened) {
        crayon_result result;
        EXPECT_EQ(crayon_tokenizer_create(cartridge, index, "", 0, &tokenizer, &result), CRAYON_OK);
        EXPECT_EQ(crayon_encoder_create(tokenizer, &encoder, &result), CRAYON_OK);
    }
    ~View() {
        crayon_encoder_release(encoder);
        crayon_tokenizer_release(tokenizer);
    }
    std::vector<u32> encode(const std::string& text) {
        crayon_result result;
        std::vector<u32> ids(text.size() + 1);
        EXPECT_EQ(crayon_encoder_begin(encoder, 0, nullptr, 0, &result), CRAYON_OK);
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 1,
                                           &result),
                  CRAYON_OK);
        EXPECT_EQ(crayon_encoder_read(encoder, ids.data(), static_cast<u32>(ids.size()), &result), CRAYON_OK);
        ids.resize(result.count);
        return ids;
    }
};

crayon_cartridge* open(const std::string& bytes) {
    crayon_result result;
    crayon_cartridge* cartridge = nullptr;
    EXPECT_EQ(crayon_cartridge_open_bytes(bytes.data(), static_cast<u32>(bytes.size()), 0, &cartridge, &result), CRAYON_OK)
        << crayon_status_name(result.status) << " in " << result.section << " at " << result.position;
    return cartridge;
}

// A file with two views, one of the family and one of its pattern.
TEST(PatternScanner, TokenizesLikeTheFamily) {
    test::Random random(1);
    const test::Vocabulary vocabulary = test::random_vocabulary(random, "ab 1'st\n.", 60);
    const Bytes section = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
    crayon_result result;
    crayon_cartridge* const first = open(test::compile(vocabulary, "cl100k"));
    crayon_compiler* compiler = nullptr;
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_set_cartridge(compiler, first, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_add_view(compiler, "data", 4, "pattern", 7, &result), CRAYON_OK);
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result), CRAYON_INVALID_ARGUMENT) << "there is no pattern";
    EXPECT_EQ(crayon_compiler_set_pattern(compiler, section.data(), 63, &result), CRAYON_INVALID_ARGUMENT);
    ASSERT_EQ(crayon_compiler_set_pattern(compiler, section.data(), static_cast<u32>(section.size()), &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_finish(compiler, &file, &result), CRAYON_OK);
    const std::string full(reinterpret_cast<const char*>(file), result.count);
    ASSERT_EQ(crayon_compiler_finish_slim(compiler, &file, &result), CRAYON_OK);
    const std::string slim(reinterpret_cast<const char*>(file), result.count);
    crayon_cartridge_release(first);

    for (const std::string& form : {full, slim}) {
        crayon_cartridge* const cartridge = open(form);
        ASSERT_NE(cartridge, nullptr);
        {
            View family(cartridge, 0), pattern(cartridge, 1);
            EXPECT_STREQ(crayon_tokenizer_scanner(pattern.tokenizer), "pattern");
            for (std::uint64_t seed = 1; seed <= test::sample(500, 50); ++seed) {
                const std::string text = test::TextGenerator(seed).utf8();
                ASSERT_EQ(pattern.encode(text), family.encode(text)) << "seed " << seed;
                const u32 limit = static_cast<u32>(1 + seed % 40), overlap = limit / 4;
                const crayon_part_form form{limit, overlap, CRAYON_UNIT_BYTES, CRAYON_CUT_ANYWHERE, nullptr, nullptr, 0, 0};
                ASSERT_EQ(test::read_parts(pattern.encoder, 0, form, text), test::read_parts(family.encoder, 0, form, text))
                    << "seed " << seed;
            }
        }
        // And again, from the open file.
        crayon_compiler* again = nullptr;
        ASSERT_EQ(crayon_compiler_create(&again, &result), CRAYON_OK);
        ASSERT_EQ(crayon_compiler_set_cartridge(again, cartridge, &result), CRAYON_OK);
        ASSERT_EQ(crayon_compiler_finish(again, &file, &result), CRAYON_OK);
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(file), result.count), full);
        crayon_compiler_release(again);
        crayon_cartridge_release(cartridge);
    }
    crayon_compiler_release(compiler);
}

}  // namespace
}  // namespace crayon::pattern_scanner_test
