// The tables devices cut words with: what each character is for words, and WordPiece's rules (layout/word_piece.h).
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"

namespace crayon {

class Tokenizer;

// Whether devices can split with this pretokenizer, and cut the words.
bool devices_cut_words_of(const Tokenizer& tokenizer);

class WordTables {
public:
    // False if memory is short. Takes milliseconds.
    [[nodiscard]] bool make(u32 pretokenizer);
    // The tables of the tokenizer's trie and rules, with these classes. Valid as long as this object and the tokenizer.
    void state(const Tokenizer& tokenizer, crayon_gpu_tables& tables) const;

private:
    Buffer<u8> blocks_;   // the block number of every 128 code points
    Buffer<u8> classes_;  // of each block's code points
};

}  // namespace crayon
