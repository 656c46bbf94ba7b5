// WordPiece and Unigram, as a tokenizer has one of them: apart from the other models, so that a module for pages can do without.
//
// Their pieces may begin with whitespace that has no ids. Positions are found by the lengths of ids (layout/marked_ids.h) and
// that whitespace, which is before whatever follows it in the text.
#pragma once

#include "cartridge/cartridge.h"
#include "model/piece_encoder.h"
#include "scan/scanner.h"

namespace crayon {

class TrieModels {
public:
    // Of a cartridge with one of these models. OUT_OF_MEMORY, or FEATURE_MISSING.
    static Status create(const Cartridge& cartridge, const TokenizerView& view, TrieModels** out);
    static void destroy(TrieModels* models);

    // As PieceEncoder; without `ids` these are only counted.
    bool encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity, PieceProgress* progress) const;
    // Whether whitespace at the beginning of a piece has no ids.
    bool trims() const { return trims_; }
    // The length of the text of an id with kPartMark, whose token has `length` bytes.
    u32 length_of_part(u32 length) const { return length > prefix_length_ ? length - prefix_length_ : 0; }
    // The ids of bytes, which ids with kByteMark become, or nullptr.
    const u32* byte_ids() const { return rules_.byte_ids; }
    // The scan of a text without a pretokenizer, which is one piece.
    static u32 scan_whole(ScanState& state, const u8* text, size_t size, bool last, u32* boundaries, u32 capacity);

private:
    TrieModels(const Cartridge& cartridge, const TokenizerView& view);
    bool is_unigram() const { return rules_.scores != nullptr; }

    const LongestMatchView& tables_;
    const TrieRules& rules_;
    const u32 prefix_length_;
    const bool trims_;
};

}  // namespace crayon
