// The pretokenizers of WordPiece and Unigram, on every kernel, compared with naive versions, whatever windows the text arrives
// in.
#include <gtest/gtest.h>

#include "crayon/layout/pretokenizers.h"
#include "kernels.h"
#include "naive/bert.h"
#include "naive/utf.h"
#include "scan_text.h"
#include "share.h"

namespace crayon::word_scan_test {
namespace {

using test::Scanned;
using test::Windowing;

// Where pieces end: whitespace begins the piece after it.
std::vector<std::size_t> naive_boundaries(u32 pretokenizer, const std::string& text) {
    const naive::Characters characters = naive::decode_utf8(text);
    std::vector<std::size_t> boundaries;
    for (std::size_t i = 1; i < characters.code_points.size(); ++i) {
        const char32_t before = characters.code_points[i - 1], here = characters.code_points[i];
        bool ends = here == U'\u2581';
        if (pretokenizer != layout::kMetaspace) {
            const auto isolates = [&](char32_t c) { return pretokenizer == layout::kBert && naive::is_bert_punctuation(c); };
            ends = !naive::is_white_space(before) && (naive::is_white_space(here) || isolates(here) || isolates(before));
        }
        if (ends) boundaries.push_back(characters.offsets[i]);
    }
    if (!text.empty()) boundaries.push_back(text.size());
    return boundaries;
}

constexpr u32 kPretokenizers[] = {layout::kBert, layout::kWhitespaceSplit, layout::kMetaspace};

void check(const std::string& text, std::uint64_t seed) {
    for (const u32 pretokenizer : kPretokenizers) {
        const std::vector<std::size_t> expected = naive_boundaries(pretokenizer, text);
        test::for_each_kernel([&](const Kernel& kernel) {
            for (const auto kind : {Windowing::kWhole, Windowing::kByteByByte, Windowing::kRandom}) {
                if (kind == Windowing::kByteByByte && text.size() > 300) continue;
                const Scanned scanned = test::scan_text(kernel.scan(pretokenizer), text, {kind, seed});
                ASSERT_EQ(scanned.fault, "") << layout::name_of_pretokenizer(pretokenizer) << " " << seed;
                ASSERT_EQ(scanned.boundaries, expected)
                    << layout::name_of_pretokenizer(pretokenizer) << " " << seed << " " << testing::PrintToString(text);
            }
        });
        if (testing::Test::HasFailure()) return;
    }
}

TEST(WordScan, GeneratedTexts) {
    for (std::uint64_t seed = 1; seed <= test::sample(3000) && !HasFailure(); ++seed) {
        std::string text = test::TextGenerator(seed).utf8();
        test::Random random(seed);
        const char* const others[] = {"\u2581", "\u3002", "\u3000", "\u2581\u2581", "\xE2\x96", "\u2E43",
                                      "\u166D", ".",      " ",      "\xFF"};
        for (std::size_t n = random.below(20); n > 0; --n) {
            text.insert(random.below(text.size() + 1), others[random.below(std::size(others))]);
        }
        check(text, seed);
    }
}

TEST(WordScan, EveryCodePoint) {
    std::string text;
    for (char32_t c = 0; c < 0x110000 && !HasFailure(); ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        if (!test::in_sweep_of_code_points(c) && !naive::is_bert_punctuation(c)) continue;
        for (const char32_t each : {U'a', c, U'a', c, c, U' ', c, U'.', c, U'\u2581'}) naive::append_utf8(text, each);
        if (text.size() < 500 && c < 0x10FFFF) continue;
        check(text, c);
        text.clear();
    }
}

TEST(WordScan, Runs) {
    for (const char* thing : {" ", "\u3000", ".", "\u3002", "\u2581", "a", "\u4E2D", "\U0001F600"}) {
        for (const std::size_t count : {1, 2, 21, 31, 32, 63, 64, 65, 127, 128, 129, 200}) {
            std::string run;
            for (std::size_t i = 0; i < count; ++i) run += thing;
            for (const char* around : {"", "a", " ", ".", "\u2581", "\u3000"}) check(around + run + around, count);
            if (HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace crayon::word_scan_test
