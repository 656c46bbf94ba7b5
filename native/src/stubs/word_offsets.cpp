// A module without WordPiece and Unigram, and without the pretokenizers that drop text.
#include "encode/id_offsets.h"

namespace crayon {

void TokenOffsets::locate_words(const Tokenizer&, const Text&, u32, const u32*, u32, u32*) {}
void IdOffsets::skip_to(const Tokenizer&, const FedText&, Normalizing*, size_t) {}
Status IdOffsets::locate_stretches(const Tokenizer&, const FedText&, Normalizing*, const u32*, u32, u32*) { return {}; }

}  // namespace crayon
