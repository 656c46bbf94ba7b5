// The C interface's encoder: an Encoder, and the state that Fit keeps beside it.
#pragma once

#include "fit/fit_cache.h"

struct crayon_encoder {
    explicit crayon_encoder(crayon::Tokenizer& tokenizer) : encoder(tokenizer) {}

    crayon::Encoder encoder;
    crayon::FitCache fit{encoder};
};
