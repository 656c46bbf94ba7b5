#include "limits/clusters.h"

#include <iterator>
#include <utility>

#include "limits/characters.h"

namespace crayon {

namespace {

// Letters of flags that are counted before a position.
constexpr u32 kMostLetters = kClusterReach / 4;

// Ranges of combining marks, vowel signs and other characters that extend a cluster; first and last of each, ascending. Skin
// tones, tags and more variation selectors follow above U+FFFF.
constexpr u16 kExtending[] = {
    0x300,  0x36F,  0x483,  0x489,  0x591,  0x5BD,  0x5BF,  0x5C7,  0x610,  0x61A,  0x64B,  0x65F,  0x670,  0x670,  0x6D6,
    0x6DC,  0x6DF,  0x6E4,  0x6E7,  0x6E8,  0x6EA,  0x6ED,  0x711,  0x711,  0x730,  0x74A,  0x7A6,  0x7B0,  0x7EB,  0x7F3,
    0x816,  0x82D,  0x859,  0x85B,  0x898,  0x89F,  0x8CA,  0x8FF,  0xE31,  0xE31,  0xE33,  0xE3A,  0xE47,  0xE4E,  0xEB1,
    0xEB1,  0xEB3,  0xEBC,  0xEC8,  0xECE,  0xF18,  0xF19,  0xF35,  0xF39,  0xF3E,  0xF3F,  0xF71,  0xF84,  0xF86,  0xF87,
    0xF8D,  0xFBC,  0x102B, 0x103E, 0x1056, 0x1059, 0x105E, 0x1060, 0x1062, 0x1064, 0x1067, 0x106D, 0x1071, 0x1074, 0x1082,
    0x108D, 0x1160, 0x11FF, 0x135D, 0x135F, 0x17B4, 0x17D3, 0x17DD, 0x17DD, 0x180B, 0x180F, 0x1AB0, 0x1AFF, 0x1B00, 0x1B04,
    0x1B34, 0x1B44, 0x1DC0, 0x1DFF, 0x200C, 0x200D, 0x20D0, 0x20FF, 0x302A, 0x302F, 0x3099, 0x309A, 0xA66F, 0xA672, 0xA674,
    0xA67D, 0xA8E0, 0xA8F1, 0xD7B0, 0xD7FB, 0xFE00, 0xFE0F, 0xFE20, 0xFE2F, 0xFF9E, 0xFF9F};

// The same up to U+FFFF as a bit each: a search in the ranges was half of the time in texts of marks.
struct Extending {
    u8 bits[0x10000 / 8] = {};

    constexpr Extending() {
        for (size_t i = 0; i < std::size(kExtending); i += 2) set(kExtending[i], kExtending[i + 1]);
        // The Indic blocks, 128 characters each, have their marks at the same indices.
        for (u32 block = 0x900; block < 0xE00; block += 0x80) {
            for (const auto& [first, last] : {std::pair{0, 3}, {0x3A, 0x3C}, {0x3E, 0x4D}, {0x51, 0x57}, {0x62, 0x63}})
                set(block + first, block + last);
        }
    }
    constexpr void set(u32 first, u32 last) {
        for (u32 code = first; code <= last; ++code) bits[code / 8] |= static_cast<u8>(1 << code % 8);
    }
};
constexpr Extending kExtends;

bool extends(u32 code) {
    if (code <= 0xFFFF) return kExtends.bits[code / 8] >> code % 8 & 1;
    return is_within(code, 0x1F3FB, 0x1F3FF) || is_within(code, 0xE0020, 0xE007F) || is_within(code, 0xE0100, 0xE01EF);
}

// A zero-width joiner, or a virama, which makes a conjunct.
bool joins_next(u32 code) { return code == 0x200D || (is_within(code, 0x900, 0xDFF) && (code & 0x7F) == 0x4D); }

// Regional indicators, which form flags in pairs.
bool is_regional(u32 code) { return is_within(code, 0x1F1E6, 0x1F1FF); }

}  // namespace

bool is_between_clusters(const TextView& text, size_t at) {
    if (at == 0 || at >= text.size) return true;
    const u32 next = text.after(at);
    if (next < 0x300) return !(next == '\n' && text.unit(at - 1) == '\r');
    const u32 last = text.before(at);
    if (extends(next) || joins_next(last)) return false;
    if (!is_regional(next) || !is_regional(last)) return true;
    // Flags are pairs, counted from the first letter.
    u32 letters = 0;
    for (size_t begin = at; letters < kMostLetters && is_regional(text.before(begin)); begin -= 4) ++letters;
    return letters % 2 == 0;
}

size_t cluster_end(const TextView& text, size_t begin, size_t stop) {
    size_t at = begin;
    do {
        at = text.character_end(at);
    } while (at < stop && !is_between_clusters(text, at));
    return at < stop ? at : stop;
}

size_t cluster_begin(const TextView& text, size_t stop, size_t end) {
    size_t at = end;
    do {
        at = text.boundary_up_to(at - 1);
    } while (at > stop && !is_between_clusters(text, at));
    return at > stop ? at : stop;
}

}  // namespace crayon
