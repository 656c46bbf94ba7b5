#include "naive/utf.h"

namespace crayon::naive {
namespace {

// Table 3-7 of the Unicode Standard, "Well-Formed UTF-8 Byte Sequences", row by row.
struct WellFormed {
    std::size_t length;
    struct {
        unsigned char first, last;
    } bytes[4];
    unsigned char lead_bits;  // the bits of the first byte that belong to the code point
};

constexpr WellFormed kWellFormed[] = {
    {1, {{0x00, 0x7F}}, 0x7F},
    {2, {{0xC2, 0xDF}, {0x80, 0xBF}}, 0x1F},
    {3, {{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}}, 0x0F},
    {3, {{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}}, 0x0F},
    {3, {{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}}, 0x0F},
    {3, {{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}, 0x0F},
    {4, {{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}, 0x07},
    {4, {{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}, 0x07},
    {4, {{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}, 0x07},
};

}  // namespace

Characters decode_utf8(std::string_view bytes) {
    Characters characters;
    for (std::size_t at = 0; at < bytes.size();) {
        // The maximal subpart is the longest beginning of a well-formed sequence, or one byte if there is none.
        std::size_t longest = 1;
        char32_t code_point = U'\uFFFD';
        for (const WellFormed& row : kWellFormed) {
            std::size_t agreed = 0;
            while (agreed < row.length && at + agreed < bytes.size()) {
                unsigned char byte = static_cast<unsigned char>(bytes[at + agreed]);
                if (byte < row.bytes[agreed].first || byte > row.bytes[agreed].last) break;
                ++agreed;
            }
            if (agreed > longest) longest = agreed;
            if (agreed == row.length) {
                code_point = static_cast<unsigned char>(bytes[at]) & row.lead_bits;
                for (std::size_t i = 1; i < agreed; ++i) {
                    code_point = code_point << 6 | (static_cast<unsigned char>(bytes[at + i]) & 0x3F);
                }
                break;
            }
        }
        characters.code_points += code_point;
        characters.offsets.push_back(at);
        at += longest;
    }
    characters.offsets.push_back(bytes.size());
    return characters;
}

void append_utf8(std::string& bytes, char32_t code_point) {
    auto put = [&](char32_t byte) { bytes += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
}

std::string encode_utf8(std::u32string_view code_points) {
    std::string bytes;
    for (char32_t c : code_points) append_utf8(bytes, c);
    return bytes;
}

std::string utf8_of_utf16(std::u16string_view units) {
    auto is_high = [](char16_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
    auto is_low = [](char16_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
    std::string bytes;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (is_high(units[i]) && i + 1 < units.size() && is_low(units[i + 1])) {
            append_utf8(bytes, 0x10000 + ((units[i] - 0xD800u) << 10) + (units[i + 1] - 0xDC00u));
            ++i;
        } else {
            append_utf8(bytes, is_high(units[i]) || is_low(units[i]) ? U'\uFFFD' : units[i]);
        }
    }
    return bytes;
}

}  // namespace crayon::naive
