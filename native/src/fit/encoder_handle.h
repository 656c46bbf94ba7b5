// What the C interface calls an encoder: one, and what Fit keeps beside it.
#pragma once

#include "fit/fit_cache.h"

struct crayon_encoder {
    explicit crayon_encoder(crayon::Tokenizer& tokenizer) : encoder(tokenizer) {}

    crayon::Encoder encoder;
    crayon::FitCache fit{encoder};
};
