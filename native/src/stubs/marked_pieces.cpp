// A module that does not rewrite text does not open tokenizers that mark spaces (view_features.cpp).
#include "encode/marked_pieces.h"

namespace crayon {

Status Tokenizer::take_spaces_for_marks() { return {}; }

bool encode_marked(const Tokenizer&, const PieceSequence&, BpeScratch&, u32*, u32, PieceProgress*) { return false; }

}  // namespace crayon
