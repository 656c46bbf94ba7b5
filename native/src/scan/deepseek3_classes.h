// Character classes in the form GPU kernels use for deepseek3 (crayon/layout/deepseek3_step.h): the classes of
// unicode_16_0.h, plus symbols, ideographs and kana (symbols.h).
#pragma once

#include "base/buffer.h"
#include "base/integers.h"

namespace crayon {

struct Deepseek3Classes {
    Buffer<u8> blocks;   // the block number of every 128 code points
    Buffer<u8> classes;  // of each block's code points

    // Takes a few milliseconds. False if memory is short.
    bool make();
};

}  // namespace crayon
