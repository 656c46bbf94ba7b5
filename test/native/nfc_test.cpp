// Normalized texts: equal to naive NFC followed by encoding, in windows of every size, and from every position at which a window
// stops.
#include "naive/nfc.h"

#include <gtest/gtest.h>

#include "kernels.h"
#include "limits/splitter.h"
#include "normalize/nfc.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::nfc_test {
namespace {

const naive::Nfc& naive_nfc() {
    static const naive::Nfc nfc;
    return nfc;
}

// Bases and marks of many kinds: composed and decomposed letters, Hangul, characters that are always replaced, ill-formed bytes.
std::string marked_text(Random& random, std::size_t characters) {
    static const std::vector<std::string> kParts = {"a",
                                                    "e",
                                                    "o",
                                                    "q",
                                                    " ",
                                                    "\n",
                                                    "<x>",
                                                    "1",
                                                    "\xC3\xA9",
                                                    "\xE1\xBB\x87",
                                                    "\xE1\xB9\xA9",
                                                    "\xC5\x9B",  // é ệ ṩ ś
                                                    "\xE1\x84\x80",
                                                    "\xE1\x85\xA1",
                                                    "\xE1\x86\xA8",
                                                    "\xEA\xB0\x80",
                                                    "\xE2\x84\xAB",
                                                    "\xE0\xA5\x98",
                                                    "\xEF\xA4\x80",
                                                    "\xE0\xA7\x87",
                                                    "\xE0\xA6\xBE",
                                                    "\xE3\x81\x8B",
                                                    "\xF0\x9D\x85\x9E",
                                                    "\xF0\x9F\x98\x80",
                                                    "\xE4\xB8\xAD",
                                                    "\xD0\xB8",
                                                    "\xCC\x81",
                                                    "\xCC\x82",
                                                    "\xCC\x87",
                                                    "\xCC\x88",
                                                    "\xCC\xA3",
                                                    "\xCC\xA7",
                                                    "\xCC\xB4",
                                                    "\xCD\x85",
                                                    "\xCD\x84",
                                                    "\xCC\xB8",
                                                    "\xD6\xB4",
                                                    "\xE3\x82\x99",
                                                    "\xE0\xA4\xBC",
                                                    "\xE0\xBD\xB3",
                                                    "\xCC\x81",
                                                    "\xCC\xA3",
                                                    "\xCC\x82",
                                                    "\xFF",
                                                    "\xCC",
                                                    "\xE1\xBB",
                                                    "\x80"};
    std::string text;
    for (; characters > 0; --characters) {
        text += kParts[random.below(kParts.size())];
        if (random.one_in(40)) {
            for (std::size_t marks = random.below(80); marks > 0; --marks) text += kParts[26 + random.below(14)];
        }
    }
    return text;
}

std::string rewritten(const Nfc& nfc, const std::string& text, std::size_t window) {
    const std::string padded = text + std::string(8, '\0');
    const u8* const bytes = reinterpret_cast<const u8*>(padded.data());
    std::string out;
    Normalizer::Scratch scratch;
    std::size_t at = 0, searched = 0;
    for (std::size_t size = std::min(window, text.size());; size = std::min(size + window, text.size())) {
        const bool last = size == text.size();
        for (;;) {
            const Normalizer::Checked checked = nfc.check(bytes, at, searched, size, last, 0);
            out.append(text, at, checked.normal - at);
            at = checked.normal;
            searched = checked.searched;
            if (checked.end == checked.normal) break;
            bool changed = false;
            EXPECT_TRUE(nfc.rewrite(bytes, at, checked.end, 0, scratch, &changed).ok());
            out.append(reinterpret_cast<const char*>(scratch.bytes.data()), scratch.bytes.size());
            at = searched = checked.end;
        }
        if (last) break;
    }
    EXPECT_EQ(at, text.size());
    return out;
}

TEST(Nfc, EqualsNaiveNfcInWindowsOfEverySize) {
    for_each_kernel([](const Kernel& kernel) {
        Nfc nfc;
        ASSERT_TRUE(nfc.create(kernel.texts->pass_normal).ok());
        const std::size_t rounds = sample(2000);
        for (std::size_t seed = 0; seed < rounds; ++seed) {
            Random random(seed + 1);
            const std::string text = marked_text(random, random.below(60));
            const std::string expected = naive_nfc()(text);
            for (const std::size_t window : {std::size_t{1} << 20, 1 + random.below(9), std::size_t{1}}) {
                ASSERT_EQ(rewritten(nfc, text, window), expected) << "seed " << seed << ", window " << window;
            }
        }
    });
}

// Text mostly in NFC, which kernels skip, with exceptions at any offset of a block.
std::string script_text(Random& random, std::size_t bytes) {
    static const std::vector<std::vector<std::string>> kScripts = {
        {"a", "the ", ", ", "\xC3\xA9", "\xE2\x80\x94"},
        {"\xCE\xB1", "\xCE\xAC", "\xCF\x8E", "\xCE\xA9", " ", "\xE1\xBC\x80"},                  // Greek
        {"\xD8\xA7", "\xD9\x84", "\xD8\xA3", "\xD9\x91", "\xD9\x8E", "\xDB\x8C", " "},          // Arabic, with two marks
        {"\xD7\xA9", "\xD7\x81", "\xD6\xB8", "\xD7\x9C", " "},                                  // Hebrew
        {"\xE0\xA4\xB9", "\xE0\xA4\xBF", "\xE0\xA4\xA8", "\xE0\xA5\x8D", "\xE0\xA5\x80", " "},  // Hindi
        {"\xE0\xB8\x81", "\xE0\xB8\xB8", "\xE0\xB9\x88", "\xE0\xB8\xB2"},                       // Thai, with two marks
        {"\xED\x95\x9C", "\xEA\xB8\x80", "\xEA\xB0\x80", " "},                                  // Korean
        {"\xE3\x81\x8B", "\xE3\x81\x8C", "\xE3\x82\xAB", "\xE6\xBC\xA2", "\xE3\x80\x82", "\xE3\x90\x80"},  // Japanese
        {"\xD0\xB8", "\xD0\xB9", "\xD1\x84", "\xD2\x91", " "},                                             // Ukrainian
        {"\xF0\x9F\x98\x80", "\xF0\x90\x8D\x88", "\xF0\xA0\x80\x80", "x"}};
    // Marks, characters that are replaced or that compose, and invalid UTF-8.
    static const std::vector<std::string> kOthers = {"\xCC\x81",
                                                     "\xCC\xA3",
                                                     "\xCD\x85",
                                                     "\xCE\x87",
                                                     "\xCD\xBE",
                                                     "\xE2\x84\xA6",
                                                     "\xE0\xA5\x98",
                                                     "\xE0\xA4\xBC",
                                                     "\xE3\x82\x99",
                                                     "\xE1\x86\xA8",
                                                     "\xE1\x85\xA1",
                                                     "\xF0\x9D\x85\xA5",
                                                     "\xF0\x9D\x85\x9E",
                                                     "\xEF\xA4\x80",
                                                     "\xEA\x99\xAF",
                                                     "\xD2\x83",
                                                     "\x80",
                                                     "\xE3",
                                                     "\xE3\x81",
                                                     "\xF0\x9F\x98",
                                                     "\xED\xA0\x80",
                                                     "\xE0\x8C\x81",
                                                     "\xF5\x80\x80\x80",
                                                     "\xC0\x80"};
    std::string text;
    const std::vector<std::string>* script = nullptr;
    const std::size_t rarity = 5 + random.below(60);
    while (text.size() < bytes) {
        if (!script || random.one_in(80)) script = &kScripts[random.below(kScripts.size())];
        text += random.one_in(rarity) ? kOthers[random.below(kOthers.size())] : (*script)[random.below(script->size())];
    }
    return text;
}

TEST(Nfc, EqualsNaiveNfcInAnyScript) {
    for_each_kernel([](const Kernel& kernel) {
        Nfc nfc;
        ASSERT_TRUE(nfc.create(kernel.texts->pass_normal).ok());
        const std::size_t rounds = sample(4000);
        for (std::size_t seed = 0; seed < rounds; ++seed) {
            Random random(seed + 1);
            const std::string text = script_text(random, 1 + random.below(700));
            const std::string expected = naive_nfc()(text);
            for (const std::size_t window : {std::size_t{1} << 20, 1 + random.below(200)}) {
                ASSERT_EQ(rewritten(nfc, text, window), expected) << "seed " << seed << ", window " << window;
            }
        }
    });
}

// Among letters that kernels skip.
TEST(Nfc, EqualsNaiveNfcForEachCodePoint) {
    std::string text;
    for (u32 code = 0x80; code < 0x30000; ++code) {
        if ((code >= 0xD800 && code < 0xE000) || !in_sweep(code)) continue;
        if (code >= 0xAC00 && code < 0xD7A4 && code % 41) continue;
        text += "\xCE\xB1";
        if (code < 0x800) {
            text += static_cast<char>(0xC0 | code >> 6);
        } else {
            if (code < 0x10000) {
                text += static_cast<char>(0xE0 | code >> 12);
            } else {
                text += static_cast<char>(0xF0 | code >> 18);
                text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
            }
            text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        }
        text += static_cast<char>(0x80 | (code & 0x3F));
        text += code % 3 ? "\xCE\xB2\xCE\xB3 \xCE\xB4" : " \xD9\x8B";
        if (code % 5 == 0)
            text +=
                "\xCE\xB5\xCE\xB6\xCE\xB7\xCE\xB8\xCE\xB9\xCE\xBA\xCE\xBB\xCE\xBC\xCE\xBD\xCE\xBE\xCE\xBF\xCF\x80\xCF\x81\xCF\x82"
                "\xCF\x83";
    }
    const std::string expected = naive_nfc()(text);
    for_each_kernel([&](const Kernel& kernel) {
        Nfc nfc;
        ASSERT_TRUE(nfc.create(kernel.texts->pass_normal).ok());
        ASSERT_TRUE(rewritten(nfc, text, std::size_t{1} << 30) == expected);
    });
}

TEST(Nfc, RunsOfMarksTakeLinearTime) {
    Nfc nfc;
    ASSERT_TRUE(nfc.create(kernel_at(0)->texts->pass_normal).ok());
    std::string text = "q";
    for (int i = 0; i < 300'000; ++i) text += i % 2 ? "\xCC\x81" : "\xCC\xA3";
    std::string expected = "q";
    for (int i = 0; i < 150'000; ++i) expected += "\xCC\xA3";
    for (int i = 0; i < 150'000; ++i) expected += "\xCC\x81";
    EXPECT_EQ(rewritten(nfc, text, 1000), expected);
}

struct Pair {
    explicit Pair(Random& random, std::string_view pretokenizer)
        : vocabulary(random_vocabulary(random, "aeoq \xC3\xA9\xCC\x81\xA3\xE1\xBB\x87", 200)),
          plain(compile(vocabulary, pretokenizer)),
          normalizing(compile(vocabulary, pretokenizer, {}, 1)) {}
    Encoder& encoder() { return normalizing.encoder()->encoder; }

    Vocabulary vocabulary;
    Tokenizing plain, normalizing;
};

TEST(Nfc, EncoderReadsTheIdsOfTheNormalizedText) {
    for (const char* pretokenizer : {"qwen2", "gpt2", "o200k", "none"}) {
        Random random(7);
        Pair pair(random, pretokenizer);
        EXPECT_STREQ(crayon_tokenizer_normalizer(pair.normalizing.tokenizer()), "NFC");
        Encoder& encoder = pair.encoder();
        const std::size_t rounds = sample(1500);
        for (std::size_t seed = 0; seed < rounds; ++seed) {
            const std::string text = marked_text(random, random.below(80));
            const std::vector<u32> expected = pair.plain.encode(naive_nfc()(text));
            ASSERT_EQ(pair.normalizing.encode(text), expected) << pretokenizer << ' ' << seed;
            // In windows; after each, encoding from the stop position gives the remaining ids.
            ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0).ok());
            std::vector<u32> ids, stops;
            std::vector<std::size_t> counts;
            for (std::size_t at = 0;;) {
                const std::size_t length = std::min(1 + random.below(20), text.size() - at);
                const bool last = at + length == text.size();
                ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, length, last).ok());
                at += length;
                for (Encoder::Read read{0, true}; read.more;) {
                    u32 some[3];
                    ASSERT_TRUE(encoder.read(some, 3, &read).ok());
                    ids.insert(ids.end(), some, some + read.count);
                }
                stops.push_back(static_cast<u32>(encoder.position()));
                counts.push_back(ids.size() - encoder.ids_beyond_position());
                if (last) break;
            }
            ASSERT_EQ(ids, expected) << pretokenizer << ' ' << seed;
            EXPECT_EQ(stops.back(), text.size());
            for (std::size_t i = 0; i < stops.size(); ++i) {
                const std::vector<u32> rest(expected.begin() + counts[i], expected.end());
                ASSERT_EQ(pair.normalizing.encode(text.substr(stops[i])), rest)
                    << pretokenizer << ' ' << seed << " at " << stops[i];
            }
        }
    }
}

TEST(Nfc, ReadingStopsWhereTheTextCanBeCut) {
    Random random(11);
    Pair pair(random, "qwen2");
    Encoder& encoder = pair.encoder();
    for (std::size_t seed = 0; seed < sample(1500); ++seed) {
        const std::string text = marked_text(random, 1 + random.below(60));
        const std::vector<u32> expected = pair.normalizing.encode(text);
        const std::size_t stop = 1 + random.below(text.size());
        ASSERT_TRUE(encoder.begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0).ok());
        ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()), text.size(), true).ok());
        encoder.stop_reading_at(stop);
        std::vector<u32> ids(expected.size() + 1);
        Encoder::Read read{};
        ASSERT_TRUE(encoder.read(ids.data(), static_cast<u32>(ids.size()), &read).ok());
        ASSERT_GE(encoder.position(), stop);
        ASSERT_EQ(encoder.ids_beyond_position(), 0u);
        const std::vector<u32> rest(expected.begin() + read.count, expected.end());
        ASSERT_EQ(pair.normalizing.encode(text.substr(encoder.position())), rest) << seed;
    }
}

}  // namespace
}  // namespace crayon::test::nfc_test
