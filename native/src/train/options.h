// What a trainer is to do.
#pragma once

#include <string_view>

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
    u32 scanner;            // layout::Scanner
    u8 alphabet[256];       // every byte, in the order of ids
};

// layout::Scanner; 0 if there is none of that name.
u32 scanner_named(std::string_view name);

}  // namespace crayon::train
