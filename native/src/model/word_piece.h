// WordPiece: a word is cut into the longest token that it begins with, then the longest continuation, and so on; if any
// position has no token, or the word has too many characters, the whole word is unknown. WordLevel: a word is a token or
// unknown.
//
// A model for PieceEncoder whose pieces are words; layout/word_piece.h defines its rules, and layout/marked_ids.h defines
// ids whose text is not the token. The tables are in the cartridge and have passed the validator. Several threads may use
// one WordPiece at once.
#pragma once

#include "cartridge/cartridge.h"
#include "model/piece_encoder.h"
#include "scan/dropped_text.h"

namespace crayon {

class WordPiece {
public:
    using Scratch = PieceScratch;

    WordPiece() = default;
    WordPiece(const LongestMatchView& tables, const TrieRules& rules, const DroppedText& dropped);

    // Nothing is faster than walking the trie.
    static constexpr bool kFindsWhole = false;

    // As in PieceEncoder. `end` is the start of the word if it is unknown and there is no unknown id. Cost: linear, times
    // the longest token at worst.
    bool make(const u8* piece, u32 length, u32 limit, PieceScratch& scratch, u32* end) const;
    bool make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const;

private:
    u32 cut(const u8* piece, u32 length, u32* ids, u32* end) const;
    u32 parts_of(const u8* word, u32 length, u32* ids) const;

    LongestMatchView t_;
    u32 most_characters_ = 0;
    bool is_whole_ = false, continues_ = false;
    DroppedText dropped_;
    u32 continuation_base_ = 0;  // the base of the trie node below the prefix
};

}  // namespace crayon
