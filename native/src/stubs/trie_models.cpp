// A module without WordPiece and Unigram, whose cartridges it does not open (word_sections.cpp).
#include "model/trie_models.h"

namespace crayon {

Status TrieModels::create(const Cartridge&, const TokenizerView&, TrieModels**) { return {CRAYON_FEATURE_MISSING}; }
void TrieModels::destroy(TrieModels*) {}
bool TrieModels::encode(const PieceSequence&, PieceScratch&, u32*, u32, PieceProgress*) const { return false; }
u32 TrieModels::scan_whole(ScanState&, const u8*, size_t, bool, u32*, u32) { return 0; }

}  // namespace crayon
