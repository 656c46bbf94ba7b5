#include "model/segment_words.h"

#include <bit>

namespace crayon {

namespace {

constexpr u8 kMark[] = {0xE2, 0x96, 0x81};  // U+2581
constexpr u32 kWord = 8;

// The first byte of a word that may be that of a mark; kWord if none is.
u32 mark_in_word(const u8* p) {
    constexpr u64 kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
    u64 bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    bytes ^= kMark[0] * kOnes;
    const u64 zeros = (bytes - kOnes) & ~bytes & kHighs;  // the first one is right
    return static_cast<u32>(std::countr_zero(zeros)) / 8;
}

}  // namespace

// A token may end within a mark, too.
SegmentWords::SegmentWords(const LongestMatchView& tables) {
    for (u32 id = 0; id < tables.token_count; ++id) {
        const std::string_view token = tables.token(id);
        for (size_t i = 1; i < token.size(); ++i) {
            const size_t left = token.size() - i, length = left < sizeof kMark ? left : sizeof kMark;
            if (std::memcmp(token.data() + i, kMark, length) == 0) is_joined_[static_cast<u8>(token[i - 1])] = true;
        }
    }
}

u32 SegmentWords::end_of(const u8* text, u32 at, u32 length) const {
    for (u32 i = at + 1; i < length;) {
        const u32 found = mark_in_word(text + i);
        i += found;
        if (found == kWord) continue;
        if (i < length && length - i >= sizeof kMark && std::memcmp(text + i, kMark, sizeof kMark) == 0 && !is_joined_[text[i - 1]])
            return i;
        ++i;
    }
    return length;
}

}  // namespace crayon
