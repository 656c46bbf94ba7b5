// Keys of a trie, the input of the builders of double arrays.
#pragma once

#include "base/integers.h"

namespace crayon {

// Key i is bytes[starts[i], starts[i] + lengths[i]). The keys are not empty, distinct and in lexicographic order of
// their bytes, any bytes.
struct SortedKeys {
    const u8* bytes;
    const u32* starts;
    const u32* lengths;
    u32 count;
};

}  // namespace crayon
