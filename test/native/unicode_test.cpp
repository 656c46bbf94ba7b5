// The engine's character classes compared with the published ranges, for every code point.
#include "scan/unicode_16_0.h"

#include <gtest/gtest.h>

#include <bit>

#include "naive/unicode_properties.h"
#include "share.h"

namespace crayon::unicode_test {
namespace {

using unicode_16_0::Class;

Class expected_class(char32_t c) {
    auto is = [properties = naive::properties_of(c)](const char* name) {
        return (properties & naive::properties_named(name)) != 0;
    };
    if (c == U'\n' || c == U'\r') return Class::kNewline;
    if (is("White_Space")) return Class::kSpace;
    if (is("Lu") || is("Lt")) return Class::kUpper;
    if (is("Ll")) return Class::kLower;
    if (is("L")) return Class::kCaseless;
    if (is("M")) return Class::kMark;
    if (is("N")) return Class::kNumber;
    return Class::kOther;
}

TEST(Unicode, EveryCodePointHasItsClass) {
    for (char32_t c = 0; c < unicode_16_0::kCodePointCount; ++c) {
        if (c >= 0x3000 && !test::in_sweep(c)) continue;
        ASSERT_EQ(unicode_16_0::class_of(c), expected_class(c)) << "U+" << std::hex << static_cast<unsigned>(c);
    }
}

// The same as sets, three per page of 64 characters.
TEST(Unicode, PagesHaveTheSameClasses) {
    for (char32_t c = 0; c < 0x10000; ++c) {
        const unicode_16_0::Page& page = unicode_16_0::kPages[unicode_16_0::kPageOf[c / 64]];
        unsigned found = 0;
        for (unsigned bit = 0; bit < 3; ++bit) found |= (page.planes[bit] >> c % 64 & 1) << bit;
        ASSERT_EQ(found, static_cast<unsigned>(expected_class(c))) << "U+" << std::hex << static_cast<unsigned>(c);
    }
    for (const unicode_16_0::PageRun& run : unicode_16_0::kCaselessRuns) {
        ASSERT_EQ(run.first % 64, 0u);
        ASSERT_EQ(run.last % 64, 63u);
        for (char32_t c = run.first; c <= run.last; ++c) ASSERT_EQ(expected_class(c), Class::kCaseless);
    }
    ASSERT_EQ(unicode_16_0::kEmoji.first % 64, 0u);
    ASSERT_EQ(unicode_16_0::kEmoji.last % 64, 63u);
    for (char32_t c = unicode_16_0::kEmoji.first; c <= unicode_16_0::kEmoji.last; ++c)
        ASSERT_EQ(expected_class(c), Class::kOther);
}

// The data itself: every code point in one General_Category, and the totals stated by the Unicode Standard 16.0.
TEST(Unicode, RangesCoverEveryCodePointOnce) {
    const naive::Properties white_space = naive::properties_named("White_Space");
    std::size_t unassigned = 0, spaces = 0, surrogates = 0, private_use = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
        const naive::Properties properties = naive::properties_of(c);
        ASSERT_EQ(std::popcount(properties & ~white_space), 1) << "U+" << std::hex << static_cast<unsigned>(c);
        unassigned += (properties & naive::properties_named("Cn")) != 0;
        surrogates += (properties & naive::properties_named("Cs")) != 0;
        private_use += (properties & naive::properties_named("Co")) != 0;
        spaces += (properties & white_space) != 0;
    }
    EXPECT_EQ(0x110000 - unassigned - surrogates - private_use, 154998u + 65);  // characters, and 65 control codes
    EXPECT_EQ(surrogates, 2048u);
    EXPECT_EQ(private_use, 137468u);
    EXPECT_EQ(spaces, 25u);
}

// Known pitfalls: differences from other tables.
TEST(Unicode, KnownTraps) {
    EXPECT_EQ(unicode_16_0::class_of(0x0085), Class::kSpace);
    EXPECT_EQ(unicode_16_0::class_of(0x00A0), Class::kSpace);
    EXPECT_EQ(unicode_16_0::class_of(0x180E), Class::kOther);
    EXPECT_EQ(unicode_16_0::class_of(0xFEFF), Class::kOther);
    EXPECT_EQ(unicode_16_0::class_of(0x01C5), Class::kUpper);   // Lt
    EXPECT_EQ(unicode_16_0::class_of(0x2160), Class::kNumber);  // Nl, also Uppercase
    EXPECT_EQ(unicode_16_0::class_of(0x24B6), Class::kOther);   // So, also Uppercase
    EXPECT_EQ(unicode_16_0::class_of(0x4E00), Class::kCaseless);
    EXPECT_EQ(unicode_16_0::class_of(0x105C0), Class::kCaseless);  // Todhri, new in 16.0
    EXPECT_EQ(unicode_16_0::class_of(0xA7DC), Class::kUpper);      // new in 16.0
    EXPECT_EQ(unicode_16_0::class_of(0xA7CE), Class::kOther);      // a letter from 17.0 on
    EXPECT_EQ(unicode_16_0::class_of(0xD800), Class::kOther);
    EXPECT_EQ(unicode_16_0::class_of(0x10FFFF), Class::kOther);
}

TEST(Unicode, FoldingOntoAscii) {
    EXPECT_EQ(naive::fold(U'S'), U's');
    EXPECT_EQ(naive::fold(U's'), U's');
    EXPECT_EQ(naive::fold(U'\u017F'), U's');
    EXPECT_EQ(naive::fold(U'\u212A'), U'k');
    EXPECT_EQ(naive::fold(U'\''), U'\'');
    EXPECT_EQ(naive::fold(U'\u0130'), U'\u0130');  // İ folds to i only in Turkic (status T)
}

}  // namespace
}  // namespace crayon::unicode_test
