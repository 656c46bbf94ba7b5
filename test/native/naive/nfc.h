// NFC by the definition of the Unicode Standard (section 3.11), with maps and without shortcuts. It unpacks the table
// independently; test/lib/nfc.test.ts checks the table against npm tokenizers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "normalize/nfc_tables.h"

namespace crayon::naive {

class Nfc {
public:
    Nfc() {
        const std::uint8_t* at = kNfcData;
        const auto number = [&at] {
            std::uint32_t value = 0;
            int shift = 0;
            do {
                value |= (*at & 0x7Fu) << shift;
                shift += 7;
            } while (*at++ & 0x80);
            return value;
        };
        const auto signed_number = [&number] {
            const std::uint32_t n = number();
            return n % 2 ? -static_cast<std::int64_t>(n / 2) - 1 : static_cast<std::int64_t>(n / 2);
        };
        std::uint32_t code = 0;
        for (std::uint32_t runs = number(); runs > 0; --runs) {
            code += number();
            const std::uint32_t count = number(), index = number();
            for (std::uint32_t i = 0; i < count; ++i) classes_[code++] = index;
        }
        std::vector<std::uint32_t> seconds(number());
        code = 0;
        for (std::uint32_t& second : seconds) second = code += number();
        std::int64_t first = 0;
        code = 0;
        for (std::uint32_t rows = number(); rows > 0; --rows) {
            code += number();
            first += signed_number();
            const std::u32string pair = {static_cast<char32_t>(first), static_cast<char32_t>(seconds[number()])};
            decompositions_[code] = pair;
            composites_[{pair[0], pair[1]}] = code;
        }
        std::int64_t part = 0;
        code = 0;
        for (std::uint32_t rows = number(); rows > 0; --rows) {
            code += number();
            std::u32string& parts = decompositions_[code];
            for (std::uint32_t count = number(); count > 0; --count) parts += static_cast<char32_t>(part += signed_number());
        }
        for (char32_t lead = 0; lead < 19; ++lead) {
            for (char32_t vowel = 0; vowel < 21; ++vowel) {
                const char32_t syllable = 0xAC00 + (lead * 21 + vowel) * 28;
                decompositions_[syllable] = {0x1100 + lead, 0x1161 + vowel};
                composites_[{0x1100 + lead, 0x1161 + vowel}] = syllable;
                for (char32_t tail = 1; tail < 28; ++tail) {
                    decompositions_[syllable + tail] = {syllable, 0x11A7 + tail};
                    composites_[{syllable, 0x11A7 + tail}] = syllable + tail;
                }
            }
        }
    }

    // For UTF-8 that may be ill-formed: invalid bytes stay.
    std::string operator()(const std::string& text) const {
        std::string result;
        std::u32string codes;
        const std::string padded = text + std::string(4, '\0');
        for (std::size_t at = 0; at < text.size();) {
            const Character character = decode_character(reinterpret_cast<const u8*>(padded.data() + at));
            if (character.code_point == 0xFFFD && padded.compare(at, 3, "\xEF\xBF\xBD") != 0) {
                result += written(composed(codes)) + text.substr(at, character.length);
                codes.clear();
            } else {
                decompose(character.code_point, codes);
            }
            at += character.length;
        }
        return result + written(composed(codes));
    }

private:
    std::uint32_t class_of(char32_t code) const {
        const auto found = classes_.find(code);
        return found == classes_.end() ? 0 : found->second;
    }
    void decompose(char32_t code, std::u32string& out) const {
        const auto found = decompositions_.find(code);
        if (found == decompositions_.end()) {
            out += code;
        } else {
            for (char32_t part : found->second) decompose(part, out);
        }
    }
    std::u32string composed(std::u32string codes) const {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 1; i < codes.size(); ++i) {
                const std::uint32_t own = class_of(codes[i]);
                if (own == 0 || class_of(codes[i - 1]) <= own) continue;
                std::swap(codes[i - 1], codes[i]);
                moved = true;
            }
        }
        for (std::size_t i = 1; i < codes.size();) {
            // The last starter before it, unless a character of its class or a higher one, or a starter, is in between.
            std::size_t starter = i;
            while (starter > 0 && class_of(codes[--starter]) != 0) {
            }
            const std::uint32_t before = starter == i - 1 ? 0 : class_of(codes[i - 1]);
            const bool blocked = class_of(codes[starter]) != 0 || (starter != i - 1 && before >= class_of(codes[i]));
            const auto found = composites_.find({codes[starter], codes[i]});
            if (!blocked && found != composites_.end()) {
                codes[starter] = found->second;
                codes.erase(i, 1);
            } else {
                ++i;
            }
        }
        return codes;
    }
    static std::string written(const std::u32string& codes) {
        std::string out;
        const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
        for (char32_t code : codes) {
            if (code < 0x80) {
                byte(code);
                continue;
            }
            const int tails = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
            constexpr char32_t kFirst[] = {0, 0xC0, 0xE0, 0xF0};
            byte(kFirst[tails] | code >> (6 * tails));
            for (int i = tails - 1; i >= 0; --i) byte(0x80 | (code >> (6 * i) & 0x3F));
        }
        return out;
    }

    std::map<char32_t, std::uint32_t> classes_;
    std::map<char32_t, std::u32string> decompositions_;
    std::map<std::pair<char32_t, char32_t>, char32_t> composites_;
};

}  // namespace crayon::naive
