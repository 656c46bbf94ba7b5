#include "scan/joined_bytes.h"

#include "crayon/layout/longest_match.h"

namespace crayon {

namespace {

// In known vocabularies, bytes of one class are joined to roughly the same bytes.
u32 class_of(u32 byte) {
    if (byte == ' ') return 0;
    if (byte >= 'a' && byte <= 'z') return 1;
    if (byte >= 'A' && byte <= 'Z') return 2;
    if (byte >= '0' && byte <= '9') return 3;
    if (byte < ' ' || byte == 0x7F) return 4;
    switch (byte) {
        case '"':
        case '\'':
        case '`':
            return 5;
        case '#':  // often before a word
        case '$':
        case '(':
        case '<':
        case '@':
        case '[':
        case '\\':
        case '_':
        case '{':
            return 6;
        default:
            return 7;
    }
}

}  // namespace

// In memory order, because this runs whenever a tokenizer's vocabulary is swapped.
JoinedBytes::JoinedBytes(const u8* joined_bytes, u32 token_reach) : table(joined_bytes), reach(token_reach) {
    constexpr u32 kRow = 256 / 8, kAscii = 128 / 8;  // bytes per row of the table: all, and the ASCII part
    u8 joined[8][kAscii] = {};                       // the bytes that are joined to some byte of the class
    for (u32 a = 0; a < 128; ++a) {
        const u32 left_class = class_of(a);
        left[a] = static_cast<u8>(1u << left_class);
        for (u32 i = 0; i < kAscii; ++i) joined[left_class][i] |= table[a * kRow + i];
    }
    for (u32 left_class = 0; left_class < 8; ++left_class) {
        for (u32 b = 0; b < 128; ++b) {
            right[b] |= static_cast<u8>((joined[left_class][b >> 3] >> (b & 7) & 1u) << left_class);
        }
    }
    find_apart();
}

void JoinedBytes::find_apart() {
    constexpr u32 kFirst = 0xC0, kLast = 0xF4;
    u8 after_any[(256 - kFirst) / 8] = {};
    for (u32 a = 0; a < 256; ++a) {
        for (u32 i = 0; i < sizeof after_any; ++i) after_any[i] |= table[a * 32 + kFirst / 8 + i];
    }
    const auto is_apart = [&](u32 byte) { return (after_any[(byte - kFirst) / 8] >> byte % 8 & 1) == 0; };
    for (u32 first = kFirst; first <= kLast; ++first) {
        u32 end = first;
        while (end <= kLast && is_apart(end)) ++end;
        if (end == first || (has_apart && end - first <= u32{last_apart} - first_apart + 1)) continue;
        has_apart = true;
        first_apart = static_cast<u8>(first);
        last_apart = static_cast<u8>(end - 1);
    }
}

}  // namespace crayon
