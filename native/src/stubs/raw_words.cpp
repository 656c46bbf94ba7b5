// A module that does not rewrite text does not open tokenizers with a normalizer (view_features.cpp).
#include "encode/raw_words.h"

namespace crayon {

Status RawWords::create(const Tokenizer&, RawWords**) { return {}; }
void RawWords::destroy(RawWords*) {}
RawWordsScratch* RawWords::create_scratch() { return nullptr; }
void RawWords::destroy_scratch(RawWordsScratch*) {}
u32 RawWords::keep_cuts(const u8*, size_t, size_t, bool, u32*, u32 count) const { return count; }
bool RawWords::encode(const PieceSequence&, RawWordsScratch&, u32*, u32, PieceProgress*) const { return false; }

}  // namespace crayon
