// BPE of pieces that are not merged as they are: of what a pretokenizer drops, nothing is; inner patterns split the rest into
// words; bytes or characters without a token are left out of these; and where tokens begin or end words, each is merged with a
// byte before it, or after it, that says so. Apart from Bpe, so that a module for pages can do without.
#pragma once

#include "tokenizer.h"

namespace crayon {

// As PieceEncoder, for a tokenizer that forms words; without `ids` these are only counted.
bool encode_words(const Tokenizer& tokenizer, const PieceSequence& pieces, BpeScratch& scratch, u32* ids, u32 capacity,
                  PieceProgress* progress);
// One piece; its ids are in scratch.ids then. False if memory is short.
bool encode_piece(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch);
// Pieces of a batch, at most kMostNewPieces, of which those that are one word are merged together.
class WordsTogether {
public:
    WordsTogether(const Tokenizer& tokenizer, BpeScratch& scratch) : tokenizer_(tokenizer), scratch_(scratch) {
        scratch.together.clear();
    }
    // Makes a piece, or notes it: `made` has its ids then, or once all are finished. False if memory is short.
    bool make(UnmadePiece* made, const u8* piece, u32 length);
    bool finish();
    static void take(UnmadePiece* made, const u32* ids, u32 count);

private:
    struct Waiting {
        UnmadePiece* made;
        u32 length;  // of what is merged
        u32 most;    // ids
    };
    const Tokenizer& tokenizer_;
    BpeScratch& scratch_;
    Waiting waiting_[kMostNewPieces];
    u32 count_ = 0;
};

// Takes the marks off the ids of a buffer.
void hand_out_words(const Tokenizer& tokenizer, u32* ids, u32 count);

}  // namespace crayon
