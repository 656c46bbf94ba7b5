// A module without the pretokenizers that drop text does not open their cartridges (view_features.cpp, pattern_check.cpp).
#include "encode/bpe_words.h"

namespace crayon {

bool encode_words(const Tokenizer&, const PieceSequence&, BpeScratch&, u32*, u32, PieceProgress*) { return false; }
bool encode_piece(const Tokenizer&, const u8*, u32, BpeScratch&) { return false; }
bool encode_apart(const Tokenizer&, const u8*, u32, BpeScratch&) { return false; }
void hand_out_words(const Tokenizer&, u32*, u32) {}

}  // namespace crayon
