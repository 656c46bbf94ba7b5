// The options of a trainer.
#pragma once

#include "base/integers.h"
#include "crayon/crayon.h"

namespace crayon::train {

enum class Ties : u32 { kLarger = CRAYON_TIES_LARGER, kSmaller = CRAYON_TIES_SMALLER };

struct TrainerOptions {
    u32 vocabulary_size;
    u32 min_frequency;     // at least 1
    u32 max_token_length;  // 1 … layout::kMaxTokenLength
    Ties ties;
    u32 observed_alphabet;  // 0 or 1
    u32 pretokenizer;       // layout::Pretokenizer
    u8 alphabet[256];       // every byte, in id order
};

}  // namespace crayon::train
