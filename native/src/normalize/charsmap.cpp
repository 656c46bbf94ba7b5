#include "normalize/charsmap.h"

#include <cstring>

#include "base/integers.h"
#include "base/utf8.h"

namespace crayon {

namespace {

// A unit of a double array: a label, the offset of its children, and whether a text ends there; or the value of a text.
constexpr u32 kLeaf = 1u << 31;
constexpr u32 label_of(u32 unit) { return unit & (kLeaf | 0xFF); }
constexpr u32 offset_of(u32 unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }
// The most nested matches considered.
constexpr u32 kMostNested = 32;
constexpr bool ends_text(u32 unit) { return (unit >> 8 & 1) != 0; }

}  // namespace

bool Charsmap::is_one(const u8* data, size_t length) {
    if (length < sizeof(u32)) return false;
    const u32 bytes = load_u32(data);
    return bytes % sizeof(u32) == 0 && bytes >= sizeof(u32) && bytes <= length - sizeof(u32);
}

Charsmap::Charsmap(const u8* data, size_t length)
    : units_(data + sizeof(u32)),
      unit_count_(load_u32(data) / sizeof(u32)),
      texts_(units_ + load_u32(data)),
      text_bytes_(length - sizeof(u32) - load_u32(data)) {}

size_t Charsmap::longest() const {
    size_t longest = 1, length = 0;
    for (size_t at = 0; at < text_bytes_;) {
        if (texts_[at] == 0) {
            length = 0;
            ++at;
            continue;
        }
        u8 bytes[4] = {};
        std::memcpy(bytes, texts_ + at, text_bytes_ - at < 4 ? text_bytes_ - at : 4);
        at += decode_character(bytes).length;
        if (++length > longest) longest = length;
    }
    return longest;
}

u32 Charsmap::unit(size_t index) const { return index < unit_count_ ? load_u32(units_ + index * sizeof(u32)) : kLeaf; }

bool Charsmap::find(const u8* text, size_t length, const u8** found, size_t* found_length) const {
    size_t node = offset_of(unit(0));
    for (size_t i = 0; i < length && text[i] != 0; ++i) {
        node ^= text[i];
        const u32 reached = unit(node);
        if (label_of(reached) != text[i]) return false;
        node ^= offset_of(reached);
        if (!ends_text(reached)) continue;
        return replacement(node, found, found_length);
    }
    return false;
}

// The replacement of the text that ends before the leaf `node`.
bool Charsmap::replacement(size_t node, const u8** found, size_t* found_length) const {
    const size_t begin = unit(node) & ~kLeaf;
    if (begin > text_bytes_) return false;
    const void* const end = std::memchr(texts_ + begin, 0, text_bytes_ - begin);
    *found = texts_ + begin;
    *found_length = end ? static_cast<size_t>(static_cast<const u8*>(end) - *found) : text_bytes_ - begin;
    return true;
}

Charsmap::Longest Charsmap::find_longest(const u8* text, size_t length) const {
    Longest longest = {0, nullptr, 0, false};
    size_t node = offset_of(unit(0)), leaf = 0;
    u32 found = 0;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == 0) break;
        node ^= text[i];
        const u32 reached = unit(node);
        if (label_of(reached) != text[i]) break;
        node ^= offset_of(reached);
        if (ends_text(reached) && ++found <= kMostNested) {
            longest.length = i + 1;
            leaf = node;
        }
        longest.is_open = i + 1 == length;
    }
    if (longest.length > 0 && !replacement(leaf, &longest.text, &longest.text_length)) longest.length = 0;
    return longest;
}

}  // namespace crayon
