// BPE of pieces that are not merged as they are: of what a pretokenizer drops, nothing is; inner patterns split the rest into
// words; bytes or characters without a token are left out of these; and where tokens begin or end words, each is merged with a
// byte before it, or after it, that says so. Apart from Bpe, so that a module for pages can do without.
#pragma once

#include "tokenizer.h"

namespace crayon {

// As PieceEncoder, for a tokenizer that forms words; without `ids` these are only counted.
bool encode_words(const Tokenizer& tokenizer, const PieceSequence& pieces, BpeScratch& scratch, u32* ids, u32 capacity,
                  PieceProgress* progress);
// Takes the marks off the ids of a buffer.
void hand_out_words(const Tokenizer& tokenizer, u32* ids, u32 count);

}  // namespace crayon
