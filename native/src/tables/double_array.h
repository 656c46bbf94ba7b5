// Walks double arrays in place, of version 3 (layout/double_array.h) and of version 2.
#pragma once

#include "cartridge/cartridge.h"

namespace crayon {

// The lengths of the keys that text[0, limit) begins with, ascending. `lengths` needs space for limit + 1 of them. Cost:
// one unit per byte until no key continues.
inline u32 prefixes(const DoubleArrayView& trie, const u8* text, u32 limit, u16* lengths) {
    u32 count = 0, base = layout::base_of(trie.units[0]);
    for (u32 i = 0; i < limit; ++i) {
        const u32 unit = trie.units[base ^ text[i]];
        if (layout::label_of(unit) != text[i]) break;
        lengths[count] = static_cast<u16>(i + 1);
        count += layout::is_terminal(unit);
        base = layout::base_of(unit);
    }
    return count;
}

struct TrieMatch {
    u32 length = 0;  // 0: no key matches
    u32 value = 0;
};

// The longest key that text[0, limit) begins with, and its value. Cost: one unit or state per byte until no key continues.
// With `base`: only keys below the node with that base.
inline TrieMatch longest_prefix(const DoubleArrayView& trie, u32 base, const u8* text, u32 limit) {
    u32 length = 0, last = 0;
    for (u32 i = 0; i < limit; ++i) {
        const u32 at = base ^ text[i], unit = trie.units[at];
        if (layout::label_of(unit) != text[i]) break;
        if (layout::is_terminal(unit)) {
            last = at;
            length = i + 1;
        }
        base = layout::base_of(unit);
    }
    return {length, trie.values ? trie.values[last] : 0};
}

inline TrieMatch longest_prefix(const DoubleArrayView& trie, const u8* text, u32 limit) {
    return longest_prefix(trie, layout::base_of(trie.units[0]), text, limit);
}

inline TrieMatch longest_prefix(const PlainDoubleArrayView& trie, const u8* text, u32 limit) {
    TrieMatch match;
    u32 state = 0;
    for (u32 i = 0; i < limit; ++i) {
        const u32 next = trie.base[state] + text[i];
        if (next >= trie.count || trie.check[next] != state) break;
        state = next;
        if (const u32 value = trie.values[state]; value != layout::kNone) match = {i + 1, value};
    }
    return match;
}

}  // namespace crayon
