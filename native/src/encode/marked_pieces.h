// BPE of pieces in which a space stands for U+2581 (Tokenizer::marks_spaces): SentencePiece "words", kept as they are in
// the raw text.
//
// The normalizer of such a vocabulary writes each space as U+2581 and changes little else. That makes a third more text to
// copy, and longer keys in the memory of pieces. Text that is only encoded does not need to be rewritten: pieces are cut in the
// same places (with an adapted table of joined bytes), and are looked up with marks only if the memory does not know them.
// Fully normalized text has no spaces, so a space and a mark never mean different things.
//
//   " the cat":  pieces " the" and " cat"; new ones become "▁the" and "▁cat", and are cached as " the" and " cat".
//
// Where token lengths must add up to the text, as for offsets, it is still written with marks.
#pragma once

#include "tokenizer.h"

namespace crayon {

// Where pieces of a text that the tokenizer's normalizer has made ready may be so: sets `joined_bytes` to the table by which it
// is cut; otherwise leaves it empty. OUT_OF_MEMORY.
Status join_marked(const Tokenizer& tokenizer, Buffer<u8>* joined_bytes);

// For a tokenizer that marks spaces; nullptr if memory is short.
PieceSource* create_marked_source(const Tokenizer& tokenizer);

}  // namespace crayon
