// The classes of characters as kernels of accelerators have them for deepseek3 (crayon/layout/deepseek3_step.h): those of
// unicode_16_0.h, and besides symbols, ideographs and kana (symbols.h).
#pragma once

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon {

struct Deepseek3Classes {
    Buffer<u8> blocks;   // the number of the block of every 128 code points
    Buffer<u8> classes;  // of the code points of each block

    // A few milliseconds. False if memory is short.
    bool make();
};

}  // namespace crayon
