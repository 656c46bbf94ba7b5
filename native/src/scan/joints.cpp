#include "scan/joints.h"

#include <algorithm>

#include "crayon/layout/longest_match.h"

namespace crayon {

namespace {

// Bytes of one class are joined to about the same ones, in the vocabularies there are.
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
        case '#':  // what words are written behind
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

// Row by row: a tokenizer is made whenever a vocabulary is swapped in.
Joints::Joints(const u8* joints, u32 max_token_length) : table(joints), reach(std::max(max_token_length, 4u)) {
    constexpr u32 kRow = 256 / 8, kAscii = 128 / 8;  // bytes for what may follow a byte, those of them for ASCII
    u8 joined[8][kAscii] = {};                       // to some byte of the class
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
}

}  // namespace crayon
