// The rules of a SentencePiece model's `precompiled_charsmap`: a double array of texts, and what replaces each.
//
// Any bytes may be one: every read is checked, and a walk ends with its text.
#pragma once

#include "base/integers.h"

namespace crayon {

class Charsmap {
public:
    Charsmap() = default;
    // u32 length of the double array, in bytes; its units; the texts, each with a zero behind it. `data` stays.
    static bool is_one(const u8* data, size_t length);
    Charsmap(const u8* data, size_t length);

    // The characters of the longest text, and at least 1; bytes that are no UTF-8 count as the steps count them. Cost: linear.
    size_t longest() const;

    // What replaces the shortest beginning of `text` that there is a rule for; false if there is none.
    bool find(const u8* text, size_t length, const u8** found, size_t* found_length) const;

    struct Longest {
        size_t length;  // of the beginning of the text; 0 if there is none
        const u8* text;
        size_t text_length;  // of what replaces it
        bool is_open;        // a longer one may go on behind the text
    };
    // The longest such beginning, which is what sentencepiece takes, up to its limit of 32 that begin each other. Cost: at most
    // the longest rule.
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
