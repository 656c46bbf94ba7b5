// Walking a double array in place (layout/double_array.h).
#pragma once

#include "cartridge/cartridge.h"

namespace crayon {

// Lengths of the keys that begin text[0, limit), ascending. `lengths` has room for limit + 1 of them.
// Cost: one unit per byte until no key goes on.
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
    u32 length = 0;  // 0: no key begins the text
    u32 value = 0;
};

// The longest key that begins text[0, limit) and its value.
inline TrieMatch longest_prefix(const DoubleArrayView& trie, const u8* text, u32 limit) {
    TrieMatch match;
    u32 at = 0;
    for (u32 i = 0; i < limit; ++i) {
        const u32 next = layout::base_of(trie.units[at]) ^ text[i];
        if (layout::label_of(trie.units[next]) != text[i]) break;
        at = next;
        if (layout::is_terminal(trie.units[at])) match = {i + 1, trie.values ? trie.values[at] : 0};
    }
    return match;
}

}  // namespace crayon
