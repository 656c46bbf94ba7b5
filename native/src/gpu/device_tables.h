// What devices read beside the tables of a cartridge: how text is split, where BPE without a pretokenizer is cut, and what each
// character is for words.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"

namespace crayon {

class Tokenizer;

// A class for each code point.
struct CharacterClasses {
    Buffer<u8> blocks;   // the number of the block of every 128 code points
    Buffer<u8> classes;  // of the code points of each block

    // Takes a few milliseconds. False if memory is short.
    template <class ClassOf>
    [[nodiscard]] bool make(ClassOf class_of);
    // Valid as long as this object.
    void state(crayon_gpu_tables& tables) const;
};

// Whether devices can split with this pretokenizer. `patterns`: a cartridge's section, or empty.
bool devices_split_by(u32 pretokenizer, std::string_view patterns);

class PieceTables {
public:
    // Requires devices_split_by(pretokenizer, patterns). False if memory is short. Takes milliseconds unless a section is
    // given.
    [[nodiscard]] bool make(u32 pretokenizer, std::string_view patterns = {});
    // Valid as long as this object and the section.
    void state(crayon_gpu_tables& tables) const;

private:
    bool make_family(u32 pretokenizer);

    u32 pretokenizer_ = 0;
    std::string_view pattern_;
    Buffer<char> made_;
    CharacterClasses deepseek3_;  // as in crayon/layout/deepseek3_step.h
};

// What each character is for words, and the rules of WordPiece (layout/word_piece.h).

// Whether devices can split with this pretokenizer, and cut the words.
bool devices_cut_words_of(const Tokenizer& tokenizer);

class WordTables {
public:
    // False if memory is short. Takes milliseconds.
    [[nodiscard]] bool make(u32 pretokenizer);
    // The tables of the tokenizer's trie and rules, with these classes. Valid as long as this object and the tokenizer.
    void state(const Tokenizer& tokenizer, crayon_gpu_tables& tables) const;

private:
    CharacterClasses classes_;
};

// The tables by which devices merge BPE without a pretokenizer: between which bytes it is cut (scan/joined_bytes.h), and which
// pieces are a token as a whole. For vocabularies of bytes, and for those of characters with a token for each byte, whose
// normalizer changes spaces alone: SentencePiece's BPE. Devices get such text with its spaces, each the token of U+2581
// (encode/marked_pieces.h).

// Whether devices can encode text of this tokenizer, which has no pretokenizer.
bool devices_merge_uncut(const Tokenizer& tokenizer);

class UncutTables {
public:
    // False if memory is short.
    [[nodiscard]] bool make(const Tokenizer& tokenizer);
    // Valid as long as this object and the tokenizer. `byte_ranks`: as for any BPE; changes that of a space.
    void state(const Tokenizer& tokenizer, crayon_gpu_tables& tables, u32* byte_ranks) const;

private:
    Buffer<u32> whole_;  // a bit for each id
};

}  // namespace crayon
