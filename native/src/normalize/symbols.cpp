#include "normalize/symbols.h"

#include "base/integers.h"

namespace crayon {

namespace {

constexpr u32 kMostSymbols = 64;

}  // namespace

bool Symbols::is_one(const u8* data, size_t length) {
    if (length < sizeof(u32)) return false;
    const u64 count = load_u32(data), texts_at = sizeof(u32) * (1 + count);
    if (texts_at > length) return false;
    u32 before = 0;
    for (u64 i = 0; i < count; ++i) {
        const u32 end = load_u32(data + sizeof(u32) * (1 + i));
        if (end <= before) return false;
        before = end;
    }
    return texts_at + before == length;
}

Symbols::Symbols(const u8* data)
    : ends_(data + sizeof(u32)), texts_(ends_ + sizeof(u32) * size_t{load_u32(data)}), count_(load_u32(data)) {
    for (u32 i = 0; i < count_; ++i) begins_[texts_[begin_of(i)]] = true;
}

u32 Symbols::begin_of(u32 index) const { return index == 0 ? 0 : end_of(index - 1); }
u32 Symbols::end_of(u32 index) const { return load_u32(ends_ + sizeof(u32) * size_t{index}); }

Symbols::Longest Symbols::find(const u8* text, size_t length) const {
    if (length == 0 || !begins_[text[0]]) return {0, false, 0};
    size_t longest = 0;
    u32 first = 0, last = count_, found = 0, index = 0;
    // The symbols from `first` to `last` begin with text[0, at).
    for (size_t at = 0;; ++at) {
        if (first < last && end_of(first) - begin_of(first) == at) {
            if (++found <= kMostSymbols) {
                longest = at;
                index = first;
            }
            ++first;
        }
        if (first >= last) return {longest, false, index};
        if (at == length) return {longest, true, index};
        const auto first_from = [&](u32 from, u32 to, u32 byte) {
            while (from < to) {
                const u32 middle = from + (to - from) / 2, begin = begin_of(middle);
                const bool is_before = end_of(middle) - begin <= at || texts_[begin + at] < byte;
                if (is_before) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        };
        first = first_from(first, last, text[at]);
        last = first_from(first, last, text[at] + 1u);
    }
}

}  // namespace crayon
