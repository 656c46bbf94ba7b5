// A module without WordPiece and Unigram does not open their cartridges (word_sections.cpp).
#include "model/trie_models.h"

namespace crayon {

Status TrieModels::create(const Cartridge&, const DroppedText&, TrieModels**) { return {}; }
void TrieModels::destroy(TrieModels*) {}
bool TrieModels::encode(const PieceSequence&, PieceScratch&, u32*, u32, PieceProgress*) const { return false; }
u32 TrieModels::length_of_part(u32) const { return 0; }
u32 TrieModels::token_of(std::string_view) const { return layout::kNone; }
void TrieModels::hand_out(u32*, u32) const {}

}  // namespace crayon
