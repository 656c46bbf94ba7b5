// The rules of a SentencePiece model's `precompiled_charsmap`: a double array of texts, and their replacements.
//
// The bytes may be arbitrary: every read is checked, and a walk ends with its text.
#pragma once

#include "base/integers.h"

namespace crayon {

class Charsmap {
public:
    Charsmap() = default;
    // u32 length of the double array in bytes; its units; the texts, each zero-terminated. `data` must outlive this.
    static bool is_one(const u8* data, size_t length);
    Charsmap(const u8* data, size_t length);

    // The length in characters of the longest text, at least 1; bytes that are not UTF-8 count as in the steps. Cost: linear.
    size_t longest() const;

    // The replacement of the shortest prefix of `text` that has a rule; false if there is none.
    bool find(const u8* text, size_t length, const u8** found, size_t* found_length) const;

    struct Longest {
        size_t length;  // of the prefix; 0 if there is none
        const u8* text;
        size_t text_length;  // of its replacement
        bool is_open;        // a longer match may continue past the text
    };
    // The longest such prefix, which sentencepiece takes, up to its limit of 32 nested matches. Cost: at most the longest rule.
    Longest find_longest(const u8* text, size_t length) const;

private:
    u32 unit(size_t index) const;
    bool replacement(size_t node, const u8** found, size_t* found_length) const;

    const u8* units_ = nullptr;
    size_t unit_count_ = 0;
    const u8* texts_ = nullptr;
    size_t text_bytes_ = 0;
};

}  // namespace crayon
