// BPE of pieces that are not merged as they are, as CLIP's: text that a pretokenizer drops is not merged at all; inner patterns
// split the rest into words; and where tokens end words, each word is merged with a marker byte after it.
#pragma once

#include "tokenizer.h"

namespace crayon {

// For a tokenizer that forms words; nullptr if memory is short.
PieceSource* create_word_source(const Tokenizer& tokenizer);
// Encodes one piece into scratch.ids. False if memory is short.
bool encode_piece(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch);
// The same, and puts its words into scratch.apart.
bool encode_apart(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch);
// The pieces of a batch, at most kMostNewPieces; pieces of a single word are merged together.
class WordsTogether {
public:
    WordsTogether(const Tokenizer& tokenizer, BpeScratch& scratch) : tokenizer_(tokenizer), scratch_(scratch) {
        scratch.together.clear();
    }
    // Encodes a piece or defers it: `target` has its ids at once, or when all are finished. False if memory is short.
    bool make(UnmadePiece* target, const u8* piece, u32 length);
    bool finish();
    static void take(UnmadePiece* target, const u32* ids, u32 count);

private:
    struct Waiting {
        UnmadePiece* target;
        u32 length;    // of the merged bytes
        u32 capacity;  // max ids
    };
    const Tokenizer& tokenizer_;
    BpeScratch& scratch_;
    Waiting waiting_[kMostNewPieces];
    u32 count_ = 0;
};

// Removes the marks from the ids in a buffer.
void hand_out_words(const Tokenizer& tokenizer, u32* ids, u32 count);

}  // namespace crayon
