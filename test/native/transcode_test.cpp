// UTF-16 to UTF-8 on every kernel: every unit, lone surrogates anywhere, all alignments.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "generate_text.h"
#include "kernels.h"
#include "naive/utf.h"
#include "share.h"

namespace crayon::transcode_test {
namespace {

// Transcodes units at `misalignment` bytes (an even number) of a memory block that ends with them, to one that ends with the
// documented capacity.
void expect_transcoded(const Kernel& kernel, std::u16string_view units, std::size_t misalignment) {
    const auto input = std::make_unique<u16[]>(misalignment / 2 + units.size());
    u16* const aligned = input.get() + misalignment / 2;
    for (std::size_t i = 0; i < units.size(); ++i) aligned[i] = units[i];

    constexpr u8 kCanary = 0xA5;
    const std::size_t capacity = units.size() * 3 + 64;
    std::vector<u8> output(capacity + 16, kCanary);
    const Transcoded transcoded = kernel.texts->utf16_to_utf8(aligned, units.size(), output.data());

    const bool pending = !units.empty() && units.back() >= 0xD800 && units.back() <= 0xDBFF;
    const std::string expected = naive::utf8_of_utf16(units.substr(0, units.size() - pending));
    ASSERT_EQ(transcoded.units, units.size() - pending);
    ASSERT_EQ(std::string(reinterpret_cast<const char*>(output.data()), transcoded.bytes), expected);
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(output[capacity + i], kCanary);
}

TEST(Transcode, EveryUnit) {
    test::for_each_kernel([](const Kernel& kernel) {
        for (unsigned unit = 0; unit <= 0xFFFF && !testing::Test::HasFailure(); ++unit) {
            const char16_t c = static_cast<char16_t>(unit);
            expect_transcoded(kernel, {&c, 1}, 0);
            const char16_t between[] = {u'a', 0xD800, c, 0xDC00, u'\u00E9', c, u'\u4E2D', 0xDFFF, c, c, u'z'};
            expect_transcoded(kernel, {between, std::size(between)}, unit % 32 * 2);
        }
    });
}

TEST(Transcode, EverySupplementaryCodePoint) {
    test::for_each_kernel([](const Kernel& kernel) {
        for (char32_t c = 0x10000; c < 0x110000; c += 64) {
            std::u16string units;
            for (char32_t i = c; i < c + 64; ++i) {
                units += static_cast<char16_t>(0xD800 + ((i - 0x10000) >> 10));
                units += static_cast<char16_t>(0xDC00 + (i & 0x3FF));
            }
            expect_transcoded(kernel, units, 0);
            if (testing::Test::HasFailure()) return;
        }
    });
}

// Every unit among others of every length, long enough for vectors.
TEST(Transcode, EveryUnitAmongOthers) {
    const char16_t others[] = {u'a', u'\u007F', u'\u0080', u'\u07FF', u'\u0800', u'\u4E2D', u'\uFFFF', u'\u0430'};
    test::for_each_kernel([&](const Kernel& kernel) {
        test::Random random(1);
        for (unsigned unit = 0; unit <= 0xFFFF && !testing::Test::HasFailure(); ++unit) {
            std::u16string units(33 + random.below(16), static_cast<char16_t>(unit));
            for (char16_t& c : units) {
                if (!random.one_in(3)) c = others[random.below(std::size(others))];
            }
            expect_transcoded(kernel, units, unit % 32 * 2);
        }
    });
}

// The last sixteen units are read again where all are ASCII: every length of such an end, after units of every kind.
TEST(Transcode, EveryAsciiEnd) {
    const std::u16string_view before[] = {u"a", u"\u00E9", u"\u4E2D", u"\U0001F600", std::u16string_view(u"\xDC00", 1)};
    test::for_each_kernel([&](const Kernel& kernel) {
        for (const std::u16string_view kind : before) {
            for (std::size_t repeats = 0; repeats <= 40; ++repeats) {
                std::u16string units;
                for (std::size_t i = 0; i < repeats; ++i) units += kind;
                for (char16_t c = u'A'; c < u'A' + 40; ++c) {
                    expect_transcoded(kernel, units += c, repeats % 32 * 2);
                }
            }
        }
    });
}

// Every sequence of one, two and three bytes for eight neighbours, at every offset of sixteen.
TEST(Transcode, EverySequenceOfLengths) {
    const char16_t of_length[] = {u'z', u'\u00E9', u'\u3042'};
    test::for_each_kernel([&](const Kernel& kernel) {
        for (unsigned sequence = 0; sequence < 6561 && !testing::Test::HasFailure(); ++sequence) {
            std::u16string units(sequence % 16, u'\u0431');
            for (unsigned rest = sequence, i = 0; i < 8; ++i, rest /= 3) units += of_length[rest % 3];
            units.append(20, u'\u0431');
            expect_transcoded(kernel, units, 0);
        }
    });
}

// One exceptional unit at every index among characters of one, two and three bytes, of every length, with rotating alignments.
TEST(Transcode, OneOddUnit) {
    const std::u16string_view odd[] = {u"a", u"\u007F", u"\u0080", u"\u07FF", u"\u0800", u"\uFFFF", u"\U0001F600"};
    const char16_t lone[] = {0xD83D, 0xDE00};
    test::for_each_kernel([&](const Kernel& kernel) {
        for (std::size_t length = 0; length < 100; ++length) {
            for (std::size_t index = 0; index <= length; ++index) {
                if (!test::in_sweep(length + index)) continue;
                const std::size_t misalignment = (length * 7 + index) % 32 * 2;
                for (char16_t other : {u'x', u'\u0436', u'\u5B57'}) {
                    const std::u16string others(length, other);
                    for (std::u16string_view unit : odd) {
                        expect_transcoded(kernel, std::u16string(others).insert(index, unit), misalignment);
                    }
                    for (const char16_t& surrogate : lone) {
                        expect_transcoded(kernel, std::u16string(others).insert(index, 1, surrogate), misalignment);
                    }
                }
                if (testing::Test::HasFailure()) return;
            }
        }
    });
}

TEST(Transcode, GeneratedTexts) {
    test::for_each_kernel([](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= test::sample(20000); ++seed) {
            const std::u16string units = test::TextGenerator(seed).utf16();
            expect_transcoded(kernel, units, seed % 32 * 2);
            if (testing::Test::HasFailure()) {
                ADD_FAILURE() << "seed " << seed;
                return;
            }
        }
    });
}

}  // namespace
}  // namespace crayon::transcode_test
