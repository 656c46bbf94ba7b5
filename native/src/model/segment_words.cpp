#include "model/segment_words.h"

#include <bit>

namespace crayon {

namespace {

constexpr u8 kWordMark[] = {0xE2, 0x96, 0x81};  // U+2581
constexpr u32 kProbed = 8;

// The first byte of a word that may begin a mark; kProbed if there is none.
u32 mark_in_word(const u8* p) {
    constexpr u64 kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
    u64 bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= kWordMark[0] * kOnes;
    const u64 zeros = (bytes - kOnes) & ~bytes & kHighs;  // the lowest one is exact
    return static_cast<u32>(std::countr_zero(zeros)) / 8;
}

bool ends_word(u8 byte) { return (byte | 32) - u32{'a'} >= 26 && byte - u32{'0'} >= 10; }

}  // namespace

// A token may also end inside a mark.
SegmentWords::SegmentWords(const LongestMatchView& tables) {
    for (u32 id = 0; id < tables.token_count; ++id) {
        const std::string_view token = tables.token(id);
        for (size_t i = 1; i < token.size(); ++i) {
            const size_t left = token.size() - i, length = left < sizeof kWordMark ? left : sizeof kWordMark;
            const u8 before = static_cast<u8>(token[i - 1]), byte = static_cast<u8>(token[i]);
            if (std::memcmp(token.data() + i, kWordMark, length) == 0) is_joined_[before] = true;
            if ((before | byte) < 0x80) joined_ascii_[before * 16 + byte / 8] |= static_cast<u8>(1u << (byte % 8));
        }
    }
}

u32 SegmentWords::last_cut(const u8* word, u32 length) const {
    for (u32 i = length - 1; i > 0; --i) {
        const u8 before = word[i - 1], byte = word[i];
        if ((before | byte) < 0x80 && ends_word(byte) && !(joined_ascii_[before * 16 + byte / 8] >> (byte % 8) & 1)) return i;
    }
    return 0;
}

u32 SegmentWords::end_of(const u8* text, u32 at, u32 length) const {
    for (u32 i = at + 1; i < length;) {
        const u32 found = mark_in_word(text + i);
        i += found;
        if (found == kProbed) continue;
        if (i < length && length - i >= sizeof kWordMark && std::memcmp(text + i, kWordMark, sizeof kWordMark) == 0 &&
            !is_joined_[text[i - 1]])
            return i;
        ++i;
    }
    return length;
}

}  // namespace crayon
