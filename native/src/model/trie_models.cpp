#include "model/trie_models.h"

#include <new>

#include "model/unigram.h"
#include "model/word_piece.h"

namespace crayon {

namespace {

bool removes_whitespace(u32 pretokenizer) { return pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit; }

template <class Model>
bool encode_by(const Model& model, const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity,
               PieceProgress* progress) {
    PieceEncoder<Model> encoder(model, pieces, scratch);
    return ids ? encoder.template encode<false>(ids, capacity, progress) : encoder.template encode<true>(ids, capacity, progress);
}

}  // namespace

TrieModels::TrieModels(const Cartridge& cartridge, const TokenizerView& view)
    : tables_(cartridge.longest_match()),
      rules_(cartridge.trie_rules()),
      prefix_length_(static_cast<u32>(rules_.prefix.size())),
      trims_(removes_whitespace(view.pretokenizer)) {}

Status TrieModels::create(const Cartridge& cartridge, const TokenizerView& view, TrieModels** out) {
    *out = new (std::nothrow) TrieModels(cartridge, view);
    return *out ? Status{} : Status::out_of_memory();
}

void TrieModels::destroy(TrieModels* models) { delete models; }

bool TrieModels::encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity,
                        PieceProgress* progress) const {
    if (is_unigram()) return encode_by(Unigram(tables_, rules_, trims_), pieces, scratch, ids, capacity, progress);
    return encode_by(WordPiece(tables_, rules_, trims_), pieces, scratch, ids, capacity, progress);
}

u32 TrieModels::scan_whole(ScanState& state, const u8*, size_t size, bool last, u32* boundaries, u32) {
    state.position = size;
    if (!last || state.start == size) return 0;
    *boundaries = static_cast<u32>(state.start = size);
    return 1;
}

}  // namespace crayon
