// BPE of pieces in which spaces stand for U+2581 (Tokenizer::marks_spaces): what vocabularies of SentencePiece call a word, as it
// is in the raw text. Apart from Bpe, so that a module for pages can do without.
//
// The normalizer of such a vocabulary writes each space as U+2581 and changes little else. That makes a third more text, which is
// copied, and longer keys for the caches of pieces. A text that is only encoded need not be written so: pieces are cut where they
// would be (their table of joined bytes is another), and are looked for with their marks only if the caches do not know them. No
// text has a space once all of it is normalized, so that a space and a mark never mean different things.
//
//   " the cat":  pieces " the" and " cat"; new ones become "▁the" and "▁cat", and are remembered as " the" and " cat".
//
// Where the lengths of tokens are to add up to the text, as for offsets, it is still written with marks.
#pragma once

#include "tokenizer.h"

namespace crayon {

// As PieceEncoder; without `ids` these are only counted.
bool encode_marked(const Tokenizer& tokenizer, const PieceSequence& pieces, BpeScratch& scratch, u32* ids, u32 capacity,
                   PieceProgress* progress);

}  // namespace crayon
