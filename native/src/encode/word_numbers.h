// The word that each id is of: pieces of the pretokenizer and added tokens, numbered in the order of the text from 0 on. A
// word without ids counts, but text that a pretokenizer drops is of none. Without a pretokenizer, the text between added
// tokens is one word, whatever parts it is encoded in.
#pragma once

#include "model/bpe.h"
#include "tokenizer.h"

namespace crayon {

class WordNumbers {
public:
    explicit WordNumbers(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    // Whether a piece may be several words, which `encode_apart` (bpe_words.h) tells apart.
    bool are_in_pieces() const { return tokenizer_.inner_patterns().count > 0; }

    // Before ids of a text are read; `text`: its number.
    void begin(u64 text) {
        if (text == text_) return;
        text_ = text;
        next_ = 0;
        is_open_ = false;
    }
    void add_token() {
        apart_ = nullptr;
        is_open_ = false;
        is_added_ = true;
        ++next_;
    }
    void add_piece(const u8* piece, u32 length) {
        apart_ = nullptr;
        is_added_ = false;
        if (tokenizer_.view().pretokenizer == layout::kNoPretokenizer) {
            next_ += !is_open_;
            is_open_ = true;
        } else {
            next_ += tokenizer_.dropped().leading(piece, length) < length;
        }
    }
    void add_apart(const WordsApart& words) {
        apart_ = words.of_ids.data();
        is_added_ = false;
        first_ = next_;
        next_ += words.count;
    }
    // Writes the number of the word of each of the next ids, and 1 if it is an added token, or 0.
    void write(u32* numbers, u32 count) {
        for (u32 i = 0; i < count; ++i) {
            numbers[2 * i] = apart_ ? first_ + *apart_++ : next_ - 1;
            numbers[2 * i + 1] = is_added_;
        }
    }

private:
    const Tokenizer& tokenizer_;
    u64 text_ = 0;
    const u32* apart_ = nullptr;
    u32 first_ = 0, next_ = 0;
    bool is_open_ = false, is_added_ = false;
};

}  // namespace crayon
