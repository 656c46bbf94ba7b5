// Keys of a trie, the input of the double-array builders.
#pragma once

#include "base/integers.h"

namespace crayon {

// Key i is bytes[starts[i], starts[i] + lengths[i]). The keys are non-empty, distinct and in lexicographic byte order; any
// bytes are allowed.
struct SortedKeys {
    const u8* bytes;
    const u32* starts;
    const u32* lengths;
    u32 count;
};

}  // namespace crayon
