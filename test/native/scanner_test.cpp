// Every pretokenizer on every kernel finds the pieces of its published pattern, whatever windows the text arrives in.
//
// CRAYON_FUZZ_STRINGS sets how many texts are generated for each family and kernel, CRAYON_FUZZ_SEED the seed of the first. A
// failure prints a minimised text and the seed of the original.
#include <gtest/gtest.h>

#include <cstdlib>

#include "crayon/layout/cartridge.h"
#include "fuzz_setting.h"
#include "kernels.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/unicode_properties.h"
#include "naive/utf.h"
#include "scan_text.h"
#include "share.h"

namespace crayon::scanner_test {
namespace {

using test::Scanned;
using test::Windowing;

struct Family {
    std::string_view name;
    layout::Pretokenizer id;
    std::string_view pattern;
};
constexpr Family kFamilies[] = {
#define CRAYON_PRETOKENIZER(name, constant, number, unicode, pattern) {#name, layout::constant, pattern},
#include "crayon/layout/pretokenizers.def"
#undef CRAYON_PRETOKENIZER
};

TEST(Pretokenizers, HaveThePublishedPatterns) {
    EXPECT_EQ(std::size(kFamilies), naive::kPublishedPatternCount);
    for (const Family& family : kFamilies) {
        const auto* const end = std::end(naive::kPublishedPatterns);
        const auto* const published = std::find_if(std::begin(naive::kPublishedPatterns), end,
                                                   [&](const auto& each) { return each.family == family.name; });
        ASSERT_NE(published, end) << family.name;
        EXPECT_EQ(published->pattern, family.pattern) << family.name;
    }
}

const naive::Pattern& pattern_of(std::string_view family) {
    static const std::vector<naive::Pattern>* const patterns = [] {
        auto* all = new std::vector<naive::Pattern>;
        for (const auto& published : naive::kPublishedPatterns) all->emplace_back(published.pattern);
        return all;
    }();
    for (std::size_t i = 0; i < naive::kPublishedPatternCount; ++i) {
        if (naive::kPublishedPatterns[i].family == family) return (*patterns)[i];
    }
    std::abort();
}

std::vector<std::size_t> expected_boundaries(std::string_view family, const naive::Characters& characters) {
    std::vector<std::size_t> boundaries = pattern_of(family).split(characters.code_points);
    for (std::size_t& boundary : boundaries) boundary = characters.offsets[boundary];
    return boundaries;
}
std::vector<std::size_t> expected_boundaries(std::string_view family, std::string_view text) {
    return expected_boundaries(family, naive::decode_utf8(text));
}

// Text as a C++ string literal in ASCII.
std::string escaped(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        char buffer[8];
        if (c == '"' || c == '\\') {
            result += {'\\', c};
        } else if (byte >= 0x20 && byte < 0x7F) {
            result += c;
        } else {
            std::snprintf(buffer, sizeof buffer, "\\%03o", byte);
            result += buffer;
        }
    }
    return result + '"';
}

std::string pieces(std::string_view text, const std::vector<std::size_t>& boundaries) {
    std::string result;
    std::size_t begin = 0;
    for (std::size_t end : boundaries) {
        if (end < begin || end > text.size()) return result + " <boundary " + std::to_string(end) + ">";
        result += ' ' + escaped(text.substr(begin, end - begin));
        begin = end;
    }
    if (begin < text.size()) result += " <no boundary after " + std::to_string(begin) + ">";
    return result;
}

struct Failure {
    std::string text;
    Windowing windowing;
};

// Searches for windows with which the text fails.
bool goes_wrong(ScanFunction scan, std::string_view family, std::string_view text, Windowing& windowing) {
    const std::vector<std::size_t> expected = expected_boundaries(family, text);
    std::vector<Windowing> ways = {windowing, {Windowing::kWhole, 0}, {Windowing::kByteByByte, 0}};
    for (std::uint64_t seed = 0; seed < 60; ++seed) ways.push_back({Windowing::kRandom, seed});
    for (const Windowing& way : ways) {
        const Scanned scanned = test::scan_text(scan, text, way);
        if (!scanned.fault.empty() || scanned.boundaries != expected) {
            windowing = way;
            return true;
        }
    }
    return false;
}

// Removes characters, in ever smaller ranges, as long as the rest still fails.
Failure minimised(ScanFunction scan, std::string_view family, Failure failure) {
    for (std::size_t stretch = failure.text.size(); stretch > 0; stretch /= 2) {
        for (bool again = true; again;) {
            again = false;
            const naive::Characters characters = naive::decode_utf8(failure.text);
            for (std::size_t i = characters.code_points.size(); i-- > 0;) {
                const std::size_t end = std::min(i + stretch, characters.code_points.size());
                std::string shorter = failure.text;
                shorter.erase(characters.offsets[i], characters.offsets[end] - characters.offsets[i]);
                if (goes_wrong(scan, family, shorter, failure.windowing)) {
                    failure.text = shorter;
                    again = true;
                    break;
                }
            }
        }
    }
    return failure;
}

// Compares; a difference fails the test with a small reproducer. Returns whether there was none.
bool check(const Kernel& kernel, const Family& family, std::string_view text, const std::vector<std::size_t>& expected,
           const Windowing& windowing, std::uint64_t seed) {
    const ScanFunction scan = kernel.scan(family.id);
    const Scanned scanned = test::scan_text(scan, text, windowing);
    if (scanned.fault.empty() && scanned.boundaries == expected) return true;
    const Failure small = minimised(scan, family.name, {std::string(text), windowing});
    const Scanned found = test::scan_text(scan, small.text, small.windowing);
    ADD_FAILURE() << family.name << " on " << kernel.name << " (CRAYON_FUZZ_SEED=" << seed << "), fed "
                  << name_of(small.windowing) << ": " << found.fault << "\n  text     " << escaped(small.text) << "\n  expected"
                  << pieces(small.text, expected_boundaries(family.name, small.text)) << "\n  found   "
                  << pieces(small.text, found.boundaries);
    return false;
}

constexpr int kMostFailures = 3;  // printed for each family and kernel

class ScannerTest : public testing::TestWithParam<Family> {};

TEST_P(ScannerTest, GeneratedTexts) {
    const std::uint64_t strings = test::fuzz_setting("CRAYON_FUZZ_STRINGS", test::sample(20000));
    const std::uint64_t first_seed = test::fuzz_setting("CRAYON_FUZZ_SEED", 1);
    std::vector<int> failures(16, 0);
    std::uint64_t boundaries = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + strings; ++seed) {
        const std::string text = test::TextGenerator(seed).utf8();
        const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
        boundaries += expected.size();
        std::size_t row = 0;
        test::for_each_kernel([&](const Kernel& kernel) {
            int& failed = failures[row++];
            if (failed >= kMostFailures) return;
            if (!check(kernel, GetParam(), text, expected, {Windowing::kWhole, seed}, seed) ||
                !check(kernel, GetParam(), text, expected, {Windowing::kRandom, seed}, seed) ||
                (seed % 16 == 0 && !check(kernel, GetParam(), text, expected, {Windowing::kByteByByte, seed}, seed))) {
                ++failed;
            }
        });
    }
    RecordProperty("pieces", std::to_string(boundaries));
    EXPECT_TRUE(strings < 100 || boundaries > strings) << "the generator has dried up";
}

// A long text and its copies shifted by a byte: every pair of snippets at every offset of a block.
TEST_P(ScannerTest, EveryPhaseOfABlock) {
    std::string long_text;
    for (std::uint64_t seed = 1; long_text.size() < 6000; ++seed) long_text += test::TextGenerator(seed * 7919).utf8();
    for (std::size_t phase = 0; phase < 72; ++phase) {
        const std::string text = std::string(phase, 'a') + ". " + long_text;
        const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
        test::for_each_kernel([&](const Kernel& kernel) {
            check(kernel, GetParam(), text, expected, {Windowing::kWhole, 0}, phase);
            check(kernel, GetParam(), text, expected, {Windowing::kRandom, phase}, phase);
        });
        if (HasFailure()) break;
    }
}

// One repeated string, in lengths around one and two blocks, with text before and after.
TEST_P(ScannerTest, Runs) {
    const std::string_view things[] = {
        "a",      "A",      " ",      "\n",     "\r\n",         "1",      ".",          "/",       "'",     "'s",
        "\u00E9", "\u4E2D", "\u0301", "\u01C5", "\u3000",       "\u0967", "\U0001F600", "\xFF",    "\t",    "'ll",
        " a",     "\n ",    "a'",     "\u30FB", "\u3042\u30FB", "\x01",   ".a",         "a\u0301", "\u3040"};
    const std::string_view surroundings[] = {"", "a", "A", " ", "\n", ".", "1", "\u4E2D", "\x01"};
    std::size_t step = 0;
    for (std::string_view thing : things) {
        for (std::size_t count : {2, 3, 4, 21, 31, 32, 62, 63, 64, 65, 66, 127, 128, 129, 200}) {
            std::string run;
            for (std::size_t i = 0; i < count; ++i) run += thing;
            // A thin sweep still combines each surrounding text with every run.
            ++step;
            for (std::string_view before : surroundings) {
                ++step;
                for (std::string_view after : surroundings) {
                    if (!test::in_sweep(step++)) continue;
                    const std::string text = std::string(before) + run + std::string(after);
                    const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
                    test::for_each_kernel([&](const Kernel& kernel) {
                        check(kernel, GetParam(), text, expected, {Windowing::kWhole, 0}, count);
                        check(kernel, GetParam(), text, expected, {Windowing::kRandom, count}, count);
                    });
                    if (HasFailure()) return;
                }
            }
        }
    }
}

// Every code point between characters of the other classes, and some alone. By default all assigned ones and a sample of the
// rest; all 1,114,112 (surrogates as their ill-formed bytes) if CRAYON_FUZZ_STRINGS is set.
TEST_P(ScannerTest, EveryCodePoint) {
    const bool all = std::getenv("CRAYON_FUZZ_STRINGS") != nullptr;
    const naive::Properties plain = naive::properties_named("Cn") | naive::properties_named("Co");
    constexpr char32_t kHole = U'\uE123';
    constexpr std::u32string_view kContexts =
        U"\uE123 a\uE123a A\uE123b 1\uE123\uE1231 12\uE123 .\uE123. \uE123\n\uE123/\uE123\r\uE123'\uE123s a\uE123's "
        U"\uE123'\uE123 aB\uE123\u4E2D\uE123A\u4E2D\uE123c \u0301\uE123\u0301'l\uE123 \uE123  \uE123\u3000\uE123"
        U"a'\uE123 B'\uE123e 'r\uE123 .\uE123a\uE123.a\uE123 \u4E2D\uE123\u30FB\uE123\n 1 \uE1231\x01\uE123\u3040\uE123";
    std::string text;
    std::size_t in_text = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (!all && (naive::properties_of(c) & plain) && c % 61 != 0 && c < 0x10FFFF) continue;
        if (c >= 0x300 && c < 0x10FFFF && !test::in_sweep(c / 16)) continue;
        for (char32_t part : kContexts) naive::append_utf8(text, part == kHole ? c : part);
        if (++in_text < 16 && c < 0x10FFFF) continue;
        const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
        std::string alone;
        naive::append_utf8(alone, c);
        const std::vector<std::size_t> expected_alone = expected_boundaries(GetParam().name, alone);
        test::for_each_kernel([&](const Kernel& kernel) {
            check(kernel, GetParam(), alone, expected_alone, {Windowing::kWhole, 0}, c);
            check(kernel, GetParam(), text, expected, {Windowing::kWhole, 0}, c);
        });
        if (HasFailure()) break;
        text.clear();
        in_text = 0;
    }
}

// Dense text of every page of 64 code points up to U+FFFF beside other pages, whole and in windows.
TEST_P(ScannerTest, EveryPage) {
    for (std::uint64_t page = 2; page < 0x400; ++page) {
        // In a thin sweep, the families cover different pages; at a share of 1/64 each covers a quarter.
        if (!test::in_sweep(4 * (page + GetParam().id))) continue;
        for (std::uint64_t seed = page; seed < page + 0x400 * test::sample(4); seed += 0x400) {
            const std::string text = test::TextGenerator(seed).utf8_of_pages(page);
            const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
            test::for_each_kernel([&](const Kernel& kernel) {
                check(kernel, GetParam(), text, expected, {Windowing::kWhole, seed}, seed);
                check(kernel, GetParam(), text, expected, {Windowing::kRandom, seed}, seed);
            });
            if (HasFailure()) return;
        }
    }
}

// Characters of every length, complete, truncated and damaged, at every offset of a block's end inside dense text.
TEST_P(ScannerTest, BlockEndsInCharacters) {
    const std::string_view fillings[] = {
        "\u0431", "\u4E2D", "\u0E01\u0E31", "\u0431\u4E2D ", "\U0001F600\u0431", "\u30A2\u30FB\u3001", "\u4E2D\u9FA6"};
    const std::string_view odd[] = {"\u00E9",
                                    "\u00AB",
                                    "\u00A0",
                                    "\u4E2D",
                                    "\u3002",
                                    "\u3000",
                                    "\u30FB",
                                    "\u3040",
                                    "\x01",
                                    "\u0378",
                                    "1",
                                    ".a",
                                    "\u0301",
                                    "\U00020000",
                                    "\U0001D7D8",
                                    "\xC3",
                                    "\xE4\xB8",
                                    "\xE4",
                                    "\xF0\x9F\x98",
                                    "\xF0\x9F",
                                    "\xF0",
                                    "\x80",
                                    "\xBF\xBF",
                                    "\xC0\x80",
                                    "\xC1",
                                    "\xF5\x80\x80\x80",
                                    "\xE0\x9F\xBF",
                                    "\xED\xA0\x80",
                                    "\xF4\x90\x80\x80",
                                    "\xFF"};
    for (std::string_view filling : fillings) {
        for (std::string_view thing : odd) {
            for (std::size_t offset = 0; offset < 8; ++offset) {
                // `thing` begins 4 bytes before the end of the first block … 3 after it.
                std::string text(60 % filling.size() + offset, 'a');
                while (text.size() < 60 + offset) text += filling;
                text += thing;
                for (int i = 0; i < 40; ++i) text += filling;
                const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
                test::for_each_kernel([&](const Kernel& kernel) {
                    check(kernel, GetParam(), text, expected, {Windowing::kWhole, 0}, offset);
                });
                // Also at the end of the text.
                text.resize(60 + offset + thing.size());
                const std::vector<std::size_t> expected_end = expected_boundaries(GetParam().name, text);
                test::for_each_kernel([&](const Kernel& kernel) {
                    check(kernel, GetParam(), text, expected_end, {Windowing::kWhole, 0}, offset);
                });
                if (HasFailure()) return;
            }
        }
    }
}

// Ill-formed bytes between a letter and a number: every pair of bytes that begins with a byte of 0x80 or more, and
// every combination of significant bytes.
TEST_P(ScannerTest, IllFormedBytes) {
    constexpr std::string_view kTelling = "a\x7F\x80\x81\x8F\x90\x9F\xA0\xBF\xC0\xC1\xE0\xFF";
    std::string text;
    const auto compare = [&] {
        const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
        test::for_each_kernel([&](const Kernel& kernel) {
            check(kernel, GetParam(), text, expected, {Windowing::kWhole, 0}, 0);
        });
        text.clear();
    };
    for (unsigned first = 0x80; first <= 0xFF; ++first) {
        const char lead = static_cast<char>(first);
        for (unsigned second = 0; second <= 0xFF; ++second) text += {'a', lead, static_cast<char>(second), '1'};
        compare();
        for (char second : kTelling) {
            for (char third : kTelling) {
                text += {'a', lead, second, third, '1'};
                for (char fourth : kTelling) text += {'a', lead, second, third, fourth, '1', ' '};
            }
        }
        compare();
        if (HasFailure()) break;
    }
}

// Text that stays pending between windows is bounded by the current piece and the next one (the end of "\n" before many spaces is
// only known after them): a pretokenizer may wait for twice the text it has, never for the end of the text.
TEST_P(ScannerTest, PendingTextIsBounded) {
    for (std::uint64_t seed = 1; seed <= test::sample(300); ++seed) {
        std::string text;
        for (std::uint64_t part = 0; part < 8; ++part) text += test::TextGenerator(seed * 1000 + part).utf8();
        const std::vector<std::size_t> expected = expected_boundaries(GetParam().name, text);
        test::for_each_kernel([&](const Kernel& kernel) {
            ScanState state;
            std::string padded = text + std::string(kScanPadding, '\0');
            std::vector<u32> boundaries(kMinBoundaries + text.size());
            std::size_t piece = 0;
            for (std::size_t size = 1; size < text.size(); ++size) {
                while (kernel.scan(GetParam().id)(state, reinterpret_cast<const u8*>(padded.data()), size, false,
                                                  boundaries.data(), static_cast<u32>(boundaries.size()))) {
                }
                while (piece < expected.size() && expected[piece] <= state.start) ++piece;
                ASSERT_LT(piece, expected.size());
                const std::size_t after = expected[std::min(piece + 1, expected.size() - 1)];
                ASSERT_LE(size - state.start, 2 * (after - state.start) + 256) << "seed " << seed;
            }
        });
        if (HasFailure()) break;
    }
}

TEST_P(ScannerTest, EmptyText) {
    test::for_each_kernel([&](const Kernel& kernel) { check(kernel, GetParam(), "", {}, {Windowing::kWhole, 0}, 0); });
}

INSTANTIATE_TEST_SUITE_P(Families, ScannerTest, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace crayon::scanner_test
