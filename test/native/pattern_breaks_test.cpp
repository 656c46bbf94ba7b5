// Wherever PatternBreaks allows a cut, the parts have the boundaries of the whole text.
#include "scan/pattern_breaks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cartridge/section_checks.h"
#include "crayon/layout/cartridge.h"
#include "kernels.h"
#include "pattern_sections.h"
#include "scan_text.h"
#include "share.h"

namespace crayon::pattern_breaks_test {
namespace {

using test::Automaton;
using test::automaton_named;
using test::Bytes;

// [a-z]+('[a-z])?
Automaton words() {
    Automaton made{"words",
                   5,
                   3,
                   std::vector<std::uint32_t>(128, 0),
                   {},
                   {},
                   {0,      0,      0,      0,       //
                    0,      2,      0,      0,       //
                    0x8000, 0x8002, 0x8003, 0x8000,  // letters
                    0,      4,      0,      0,       // and an apostrophe, which needs a letter after it
                    0x8000, 0x8000, 0x8000, 0x8000}};
    for (char letter = 'a'; letter <= 'z'; ++letter) made.ascii[static_cast<std::uint8_t>(letter)] = 1;
    made.ascii['\''] = 2;
    return made;
}

// The section as in cartridges: at a 64-byte boundary.
class Opened {
public:
    explicit Opened(const Bytes& section) : words_((section.size() + 127) / 8) {
        u8* const at = reinterpret_cast<u8*>(words_.data());
        u8* const begin = at + (64 - reinterpret_cast<std::uintptr_t>(at) % 64) % 64;
        std::copy(section.begin(), section.end(), begin);
        EXPECT_TRUE(read_patterns(begin, {layout::kPattern, 0, section.size()}, &section_).ok());
        patterns = Patterns(section_, section.size());
    }
    const layout::Pattern& section() const { return *section_; }
    Patterns patterns;

private:
    std::vector<u64> words_;
    const layout::Pattern* section_ = nullptr;
};

std::vector<std::size_t> boundaries_of(const Opened& opened, std::string_view text) {
    const auto scan = kernel_at(0)->scan(layout::kPatternPretokenizer);
    return test::scan_text(scan, text, {test::Windowing::kWhole, 0}, &opened.patterns).boundaries;
}

constexpr std::string_view kThings[] = {"a",  "b", "Z",  "s",    "'", "'ll", " ",        "  ",
                                        "\n", "1", "23", "4567", "!", ".",   "\xC3\xA9", "\xE4\xB8\xAD"};

// How often parts were compared.
std::size_t compare_parts(const Bytes& section, std::uint64_t seeds) {
    const Opened opened(section);
    const PatternBreaks breaks(opened.section());
    const PatternTables tables(opened.section());
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        test::Random random(seed);
        std::string text;
        for (std::size_t n = 2 + random.below(12); n > 0; --n) text += kThings[random.below(std::size(kThings))];
        const std::vector<std::size_t> whole = boundaries_of(opened, text);
        u32 before = 0;
        for (std::size_t at = 0; at < text.size();) {
            const Character character = decode_character(reinterpret_cast<const u8*>((text + "...").data()) + at);
            const u32 after = tables.class_of(character.code_point);
            if (at > 0 && breaks.between(before, after)) {
                std::vector<std::size_t> parts = boundaries_of(opened, std::string_view(text).substr(0, at));
                for (const std::size_t end : boundaries_of(opened, std::string_view(text).substr(at))) parts.push_back(at + end);
                EXPECT_EQ(parts, whole) << "'" << text << "' at " << at << ", seed " << seed;
                if (parts != whole) return compared;
                ++compared;
            }
            before = after;
            at += character.length;
        }
    }
    return compared;
}

TEST(PatternBreaks, PartsHaveTheBoundariesOfTheWhole) {
    const Automaton own = words();
    const Automaton* const automata[] = {&own,
                                         &test::digits(),
                                         &test::ideographs_and_kana(),
                                         &automaton_named("gpt2"),
                                         &automaton_named("cl100k"),
                                         &automaton_named("o200k"),
                                         &automaton_named("qwen2"),
                                         &automaton_named("tekken")};
    for (const Automaton* automaton : automata) {
        SCOPED_TRACE(automaton->name);
        EXPECT_GT(compare_parts(test::make_section(*automaton, layout::kAllPatternCuts), test::sample(20'000, 400)), 100u);
    }
}

// Joining matches and gaps leaves fewer kinds of cuts, or none.
TEST(PatternBreaks, AccountForJoinedPieces) {
    const Automaton own = words();
    const u32 joined[] = {layout::kCutBeforeGaps | layout::kCutAfterGaps, layout::kCutBetweenMatches | layout::kCutBeforeGaps,
                          layout::kCutBetweenMatches | layout::kCutAfterGaps};
    for (const u32 cuts : joined) {
        for (const Automaton* automaton : {&own, &test::digits()}) {
            compare_parts(test::make_section(*automaton, cuts), test::sample(20'000, 400));
        }
    }
}

}  // namespace
}  // namespace crayon::pattern_breaks_test
