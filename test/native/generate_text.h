// Seeded random texts that are difficult for tokenizers. The same seed generates the same text on every machine.
//
// Two kinds alternate: sequences of snippets chosen for the edge cases of the patterns, and draws from a small
// alphabet, which contain all combinations of short motifs. Runs have up to 300 characters, so that they cross 64-byte
// blocks at every phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "naive/utf.h"

namespace crayon::test {

// splitmix64 (Steele, Lea & Flood, OOPSLA 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t x = state_ += 0x9E3779B97F4A7C15;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
        x = (x ^ x >> 27) * 0x94D049BB133111EB;
        return x ^ x >> 31;
    }
    // 0 … bound - 1
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
    bool one_in(std::size_t n) { return below(n) == 0; }

private:
    std::uint64_t state_;
};

namespace snippets {

using namespace std::string_view_literals;
using Snippets = std::initializer_list<std::u32string_view>;

// clang-format off
inline constexpr Snippets kWhitespace = {
    U" ", U" ", U"  ", U"   ", U"\n", U"\n", U"\r\n", U"\r", U"\n\n", U" \n", U"\n ", U"\t", U"\v", U"\f", U"\t\n",
    U" \t", U"\r ", U"\u0085", U"\u00A0", U"\u1680", U"\u2000", U"\u2028", U"\u2029", U"\u202F", U"\u3000"};
inline constexpr Snippets kContractions = {
    U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d", U"'S", U"'T", U"'RE", U"'Ve", U"'vE", U"'M", U"'LL", U"'lL", U"'D",
    U"'", U"''", U"'r", U"'l", U"'v", U"'e", U"'\u017F", U"'\u212A", U"'lm", U"'x", U"\u2019s", U"''s", U"'s's", U"n't's",
    U"'ss", U"'rev", U"'d'll"};
inline constexpr Snippets kLetters = {
    U"a", U"b", U"s", U"t", U"A", U"B", U"S", U"Z", U"re", U"ve", U"LL", U"Ab", U"aB", U"ABc", U"word", U"\u00E9",
    U"\u00C9", U"\u017F", U"\u00DF", U"\u01C5", U"\u01C8", U"\u1F88", U"\u02B0", U"\u02C7", U"\u0640", U"\u4E2D",
    U"\u6587", U"\u3042", U"\u30FC", U"\uAC00", U"\u05D0", U"\u0627", U"\u0915", U"\u0E01", U"\u00AA", U"\u0410",
    U"\u0430", U"\u10D0", U"\u1C90", U"\u13A0", U"\uAB70", U"\U00010400", U"\U00010428", U"\U00020000",
    U"\U0001D400", U"\U0001D41A", U"\u4E2DA", U"aB\u4E2D", U"A\u4E2Da", U"\u4E2D\u01C5", U"\u212A", U"\uFF21",
    U"\uFF41", U"\U0001E900", U"\u2C2F", U"\uA7DC", U"\u30A2", U"\u309F", U"\u30FF", U"\u3105", U"\u4E00", U"\u9FA5", U"\u9FA6",
    U"\u3400"};
inline constexpr Snippets kDigits = {
    U"0", U"1", U"12", U"123", U"1234", U"\u0660", U"\u0967", U"\u0966", U"\u00B2", U"\u00BD", U"\u2167", U"\u2460",
    U"\u3007", U"\u3021", U"\u0E51", U"\uFF11", U"\U0001D7D8", U"\u19DA", U"\U00010107", U"\u16EE"};
inline constexpr Snippets kMarks = {
    U"\u0300", U"\u0301", U"\u0903", U"\u093F", U"\u20DD", U"\u20E3", U"\uFE0F", U"\u3099", U"\u05B0",
    U"\U0001D165", U"\U000E0100", U"\U0001E08F"};
inline constexpr Snippets kPunctuation = {
    U".", U",", U"!", U"?", U"-", U"_", U"(", U")", U"\"", U"/", U"//", U"/\n", U"\n/", U"./", U"/\r\n/", U"{}", U"::",
    U"*/", U"\u2019", U"\u3002", U"\u00AB", U"\u20AC", U"\u00B0", U"\u2026", U"\u30FB", U"\u30A0", U"\u309B", U"\u303F", U"\uFF0C",
    U"`", U"~", U"$", U"^"};
inline constexpr Snippets kOthers = {
    U"\u180E", U"\uFEFF", U"\u200B", U"\u200D", U"\0"sv, U"\u0001", U"\u001C", U"\u001F", U"\u007F", U"\u0080",
    U"\u0378", U"\u2FE0", U"\U0001F600", U"\U0001F468\u200D\U0001F469\u200D\U0001F467", U"\U0001F1E9\U0001F1EA",
    U"\U0001F44D\U0001F3FD", U"\u2764\uFE0F", U"\uE000", U"\uFFFD", U"\uFFFE", U"\uFFFF", U"\U0010FFFF",
    U"\U000E0001", U"\u3040", U"\u3097", U"\u1C8B", U"\uA7CE", U"\U00010980", U"\U00016EBB", U"\U000323B0"};
inline constexpr Snippets kAll[] = {kWhitespace, kContractions, kLetters, kDigits, kMarks, kPunctuation, kOthers};
inline constexpr std::size_t kAllCount = sizeof(kAll) / sizeof(*kAll);

// Small alphabets, one drawn per text.
inline constexpr std::u32string_view kAlphabets[] = {
    U"a ", U"a \n", U"aA'", U"a'st ", U"' \nar", U"aA1 ", U"1 ", U"a. \n", U"a./\n", U"./\r\n ", U" \n\r\t", U" \n",
    U"'sSdD\u017F", U"'relvmtd", U"'RELVa ", U"aA\u4E2D", U"aA\u4E2D\u0301 ", U"aA\u4E2D'sT", U"A\u0301a.",
    U"1\u0660\u00BDa", U"12\u0967. ", U" \u00A0\u3000\n", U" \u2028\u0085\na", U"\u0301 .\n", U"\u0301a1 '",
    U"!?/\n a", U"a\U0001F600 ", U"\u4E2D\u3002a\n", U"aA'll \n1.", U"\uFEFF\u180Ea \n", U"A\u01C5a\u02B0 ",
    U"\u0410\u0430 '", U"a\0 "sv, U"\u0378\u4E2Da'", U"'s1 ", U"_aA1/ \n'", U"\t\n a.", U"\u00E9e '", U"\r\n/a",
    U" '", U"'", U"s'\u2019", U".a\u00E9 ", U"a.\u0301", U"\u3042\u30FB\u3040\u3099.", U"\u4E2D\u30FB\n ", U"1\u4E2D \n",
    U"\u4E2Da.\u0378", U"\u0001a \u4E2D", U"\u0378\u0301\u3040", U"1 \u4E2D.", U"\u9FA5\u9FA6 a"};
// clang-format on
inline constexpr std::size_t kAlphabetCount = sizeof(kAlphabets) / sizeof(*kAlphabets);

}  // namespace snippets

class TextGenerator {
public:
    explicit TextGenerator(std::uint64_t seed) : random_(seed) {}

    // 0 … 400 characters: no surrogates, otherwise any code point.
    std::u32string characters() {
        std::size_t length = this->length();
        std::u32string text = random_.one_in(2) ? from_snippets(length) : from_alphabet(length);
        if (text.size() > kMostCharacters) text.resize(kMostCharacters);
        return text;
    }

    // One text in four has damaged bytes.
    std::string utf8() {
        std::string bytes = naive::encode_utf8(characters());
        if (random_.one_in(4)) damage(bytes);
        return bytes;
    }

    // Characters of `page` (64 code points) and of a few others in one dense text, like one or two scripts mixed; a little ASCII
    // and a few four-byte characters in between. One text in four has damaged bytes.
    std::string utf8_of_pages(std::size_t page) {
        std::size_t pages[8] = {page}, count = 1 + random_.below(8);
        for (std::size_t i = 1; i < count; ++i) {
            // Two-byte characters, three-byte ones of dense scripts, any.
            pages[i] = random_.one_in(3) ? 2 + random_.below(30) : random_.below(random_.one_in(2) ? 0xC4 : 0x400);
        }
        const std::size_t ascii = 2 + random_.below(20), four = 2 + random_.below(60);
        std::string bytes;
        for (std::size_t length = 100 + random_.below(200); length > 0; --length) {
            if (random_.one_in(ascii)) {
                bytes += "aA1 .'\ns"[random_.below(8)];
            } else if (random_.one_in(four)) {
                naive::append_utf8(bytes, static_cast<char32_t>(0x10000 + random_.below(0x100000)));
            } else {
                // A surrogate's bytes are ill-formed.
                const std::size_t of = random_.one_in(2) ? page : pages[random_.below(count)];
                naive::append_utf8(bytes, static_cast<char32_t>(of * 64 + random_.below(64)));
            }
        }
        if (random_.one_in(4)) damage(bytes);
        return bytes;
    }

    // One text in two has lone surrogates.
    std::u16string utf16() {
        std::u16string units;
        for (char32_t c : characters()) {
            if (c < 0x10000) {
                units += static_cast<char16_t>(c);
            } else {
                units += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
                units += static_cast<char16_t>(0xDC00 + (c & 0x3FF));
            }
        }
        if (random_.one_in(2)) {
            for (std::size_t count = 1 + random_.below(4); count > 0 && !units.empty(); --count) {
                std::size_t at = random_.below(units.size());
                switch (random_.below(3)) {
                    case 0:
                        units[at] = static_cast<char16_t>(0xD800 + random_.below(0x800));
                        break;
                    case 1:
                        units.insert(at, 1, static_cast<char16_t>(0xD800 + random_.below(0x800)));
                        break;
                    case 2:
                        units.erase(at, 1);
                        break;
                }
            }
        }
        return units;
    }

    Random& random() { return random_; }

private:
    static constexpr std::size_t kMostCharacters = 400;

    std::size_t length() {
        switch (random_.below(8)) {
            case 0:
                return random_.below(kMostCharacters + 1);
            case 1:
            case 2:
                return random_.below(140);
            default:
                return random_.below(40);
        }
    }

    // Mostly once or twice, sometimes long enough to cross one or more blocks.
    std::size_t repetitions() {
        if (random_.one_in(24)) return 1 + random_.below(300);
        if (random_.one_in(6)) return 1 + random_.below(5);
        return 1;
    }

    std::u32string_view snippet(snippets::Snippets of) { return of.begin()[random_.below(of.size())]; }

    char32_t any_character() {
        for (;;) {
            // Half of them from dense scripts.
            char32_t c = static_cast<char32_t>(random_.one_in(2) ? random_.below(0x3100) : random_.below(0x110000));
            if (c < 0xD800 || c > 0xDFFF) return c;
        }
    }

    std::u32string from_snippets(std::size_t length) {
        // A few kinds per text, so that relevant combinations are frequent.
        std::size_t kinds = 1 + random_.below(127);
        std::u32string text;
        while (text.size() < length) {
            std::size_t kind = random_.below(snippets::kAllCount);
            if (random_.one_in(40)) {
                text += any_character();
            } else if (kinds >> kind & 1) {
                std::u32string_view chosen = snippet(snippets::kAll[kind]);
                for (std::size_t n = repetitions(); n > 0; --n) text += chosen;
                if (random_.one_in(12)) text += snippet(snippets::kMarks);
            } else if (random_.one_in(4)) {
                text += U' ';
            }
        }
        return text;
    }

    std::u32string from_alphabet(std::size_t length) {
        std::u32string_view alphabet = snippets::kAlphabets[random_.below(snippets::kAlphabetCount)];
        // Two alphabets side by side combine a long uniform part with a varied one.
        std::u32string_view other = snippets::kAlphabets[random_.below(snippets::kAlphabetCount)];
        bool uneven = random_.one_in(2);  // prefers the alphabet's first characters
        std::u32string text;
        while (text.size() < length) {
            std::size_t i = random_.below(alphabet.size());
            if (uneven) i = random_.below(i + 1);
            text.append(repetitions(), alphabet[i]);
            if (random_.one_in(60)) std::swap(alphabet, other);
        }
        return text;
    }

    void damage(std::string& bytes) {
        for (std::size_t count = 1 + random_.below(6); count > 0 && !bytes.empty(); --count) {
            std::size_t at = random_.below(bytes.size());
            static constexpr unsigned char kTelling[] = {0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE2, 0xED,
                                                         0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFF, 0x9F, 0xA0};
            char byte = static_cast<char>(kTelling[random_.below(sizeof kTelling)]);
            switch (random_.below(4)) {
                case 0:
                    bytes[at] = byte;
                    break;
                case 1:
                    bytes.insert(at, 1, byte);
                    break;
                case 2:
                    bytes.erase(at, 1);
                    break;
                case 3:
                    bytes.resize(at);
                    break;  // the end of the text, perhaps inside a character
            }
        }
    }

    Random random_;
};

}  // namespace crayon::test
