#include "limits/characters.h"

#include <cstddef>

namespace crayon {

namespace {

// .!?…‽؟۔
constexpr u16 kStops[] = {'.', '!', '?', 0x2026, 0x203D, 0x61F, 0x6D4};
// 。！？｡．‼⁇⁈⁉।॥།༎។៕။።፧
constexpr u16 kUnspacedStops[] = {0x3002, 0xFF01, 0xFF1F, 0xFF61, 0xFF0E, 0x203C, 0x2047, 0x2048, 0x2049,
                                  0x964,  0x965,  0xF0D,  0xF0E,  0x17D4, 0x17D5, 0x104B, 0x1362, 0x1367};
// "')]}*_~`”’»›」』】）］｝〉》〕〗〙
constexpr u16 kClosers[] = {'"',    '\'',   ')',    ']',    '}',    '*',    '_',    '~',    '`',    0x201D, 0x2019, 0xBB,
                            0x203A, 0x300D, 0x300F, 0x3011, 0xFF09, 0xFF3D, 0xFF5D, 0x3009, 0x300B, 0x3015, 0x3017, 0x3019};
// ([{“‘«‹「『【（［｛〈《〔〖〘
constexpr u16 kOpeners[] = {'(',    '[',    '{',    0x201C, 0x2018, 0xAB,   0x2039, 0x300C, 0x300E,
                            0x3010, 0xFF08, 0xFF3B, 0xFF5B, 0x3008, 0x300A, 0x3014, 0x3016, 0x3018};
// 、，；：・ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〻ゝゞヽヾ％
constexpr u16 kNonStarters[] = {0x3001, 0xFF0C, 0xFF1B, 0xFF1A, 0x30FB, 0x30FC, 0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063,
                                0x3083, 0x3085, 0x3087, 0x308E, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5,
                                0x30E7, 0x30EE, 0x30F5, 0x30F6, 0x3005, 0x303B, 0x309D, 0x309E, 0x30FD, 0x30FE, 0xFF05};

// None of them is an ASCII letter, an ideograph or a syllable; only of non-starters, some are kana.
template <size_t kCount>
bool is_one_of(const u16 (&list)[kCount], u32 code, u32 first_letter = 0x3020) {
    if (is_within(code, first_letter, 0xFEFF) || is_within(code, 'a', 'z')) return false;
    for (const u16 each : list) {
        if (each == code) return true;
    }
    return false;
}

}  // namespace

bool is_blank(u32 code) {
    if (code < 0x80) return is_ascii_blank(code);
    return (is_within(code, 0x2000, 0x200B) && code != 0x2007) || code == 0x3000 || code == 0x1680 || code == 0x205F ||
           is_within(code, 0x2028, 0x2029);
}

bool is_unspaced_stop(u32 code) { return code >= 0x80 && is_one_of(kUnspacedStops, code); }
bool is_stop(u32 code) { return is_one_of(kStops, code) || is_unspaced_stop(code); }
bool is_opener(u32 code) { return is_one_of(kOpeners, code); }
bool is_closer(u32 code) { return is_one_of(kClosers, code); }
bool is_non_starter(u32 code) { return is_one_of(kNonStarters, code, 0x3100) || is_closer(code) || is_unspaced_stop(code); }

bool is_han(u32 code) {
    return is_within(code, 0x4E00, 0x9FFF) || is_within(code, 0x3400, 0x4DBF) || is_within(code, 0x20000, 0x3FFFF) ||
           is_within(code, 0xF900, 0xFAFF);
}

bool is_unspaced(u32 code) {
    if (code < 0x2E80) return false;
    return is_within(code, 0x3000, 0x312F) || is_within(code, 0x31F0, 0x31FF) || is_han(code) ||
           is_within(code, 0x2E80, 0x2FDF) || is_within(code, 0xFF00, 0xFF60);
}

bool is_lower_case(u32 code) {
    return is_within(code, 'a', 'z') || (is_within(code, 0xDF, 0xFF) && code != 0xF7) || is_within(code, 0x3AC, 0x3CE) ||
           is_within(code, 0x430, 0x45F);
}

bool is_word_character(u32 code) {
    if (code < 0x80) return is_ascii_letter(code) || is_digit(code) || code == '_' || code == '\'';
    if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA;
    if (code == 0x2019) return true;
    return !is_within(code, 0x2000, 0x2BFF) && !is_within(code, 0x3000, 0x303F) && !is_within(code, 0xFF00, 0xFF0F) &&
           !is_within(code, 0x1F000, 0x1FAFF);
}

}  // namespace crayon
