// The C interface's encoder: an Encoder, and what cuts texts to limits with it.
#pragma once

#include "limits/splitter.h"

struct crayon_encoder {
    explicit crayon_encoder(crayon::Tokenizer& tokenizer) : encoder(tokenizer) {}

    crayon::Encoder encoder;
    crayon::Splitter splitter;
    crayon::PartCutter cutter;
    crayon::FedText converted;  // a text to be cut that came as UTF-16
    bool splits = false;        // the text is to be cut into parts
};
