#include "model/bpe_pairs.h"

#include "base/utf8.h"

namespace crayon {

namespace {

// Whether a token may be a unit: a byte, a character, or a part of one.
bool may_be_unit(std::string_view token) {
    if (token.size() <= 1) return true;
    if (token.size() > 4) return false;
    // Its first byte is not ASCII, and no other byte begins a character.
    for (size_t i = 1; i < token.size(); ++i) {
        if (!is_continuation(static_cast<u8>(token[i]))) return false;
    }
    return static_cast<u8>(token[0]) >= 0x80;
}

}  // namespace

bool PairFilter::build(const BpeView& tables, const BpePairs& pairs) {
    Buffer<u64> words;
    Buffer<u8> units;
    if (!words.zeroed(u64{1} << (64 - kShift)) || !units.resize(tables.token_count)) return false;
    for (u32 id = 0; id < tables.token_count; ++id) {
        units[id] = may_be_unit(tables.ranked(id));
        const auto [left, right] = tables.splits[id];
        if (left == id || !units[left] || !units[right]) continue;  // halves have lower ids
        const u64 hash = pairs.hash(left, right);
        words[hash >> kShift] |= bits_of(hash);
    }
    words_ = std::move(words);
    return true;
}

}  // namespace crayon
