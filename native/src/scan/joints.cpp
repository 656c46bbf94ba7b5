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
    switch (byte) {
        case '\t':
        case '\n':
        case '\r':
            return 4;
        case '"':  // what words are written behind
        case '#':
        case '$':
        case '\'':
        case '(':
        case '<':
        case '@':
        case '[':
        case '\\':
        case '_':
        case '`':
        case '{':
            return 5;
        default:
            return byte > ' ' && byte < 0x7F ? 6 : 7;
    }
}

}  // namespace

Joints::Joints(const u8* joints, u32 max_token_length) : table(joints), reach(std::max(max_token_length, 4u)) {
    for (u32 a = 0; a < 128; ++a) {
        left[a] = static_cast<u8>(1u << class_of(a));
        for (u32 b = 0; b < 128; ++b) {
            if (layout::is_joint(table, static_cast<u8>(a), static_cast<u8>(b))) right[b] |= left[a];
        }
    }
}

}  // namespace crayon
