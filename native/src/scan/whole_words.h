// Added tokens that are found only as whole words (layout::kSingleWord): not after a word character, nor before one. Which
// characters are those of words, the cartridge says.
//
// A token that is a part of a longer word is passed over: it is text, and no other token begins inside of it. So the text
// from a position in it on, or from its first byte on, may have other tokens than the whole text. Such positions are no safe
// split points (parallel/chain.h), and neither is the end of what has been searched, which may become one. (Nor would be one
// inside of the character before such a token, but no piece ends inside of a character.)
#pragma once

#include "base/buffer.h"
#include "scan/added_search.h"

namespace crayon {

class WholeWords {
public:
    // Keeps a pointer to the ranges.
    void set_characters(std::span<const layout::WordRange> characters) { characters_ = characters; }
    // A text begins.
    void restart();

    using Text = AddedSearch::Text;  // from where the last search has come to
    // As AddedSearch::find. False if memory is short.
    [[nodiscard]] bool find(AddedSearch& tokens, const Text& text, AddedSearch::Found* found);
    // It has come to text[at], from where the next one goes on; `decided`: whatever follows, nothing before that changes.
    void advance(const Text& text, size_t at, bool decided);
    // What follows begins as a text does.
    void end_piece() { before_ = 0; }

    // Whether the text from a position on may have other tokens than it has in the whole text.
    bool holds(u64 position) const;
    // Positions before that one are not asked for any more.
    void drop_before(u64 position);

    // Whether there is a word character before text[at], in the text from text[from] on; whether text[0, length) begins with one.
    bool is_after_word(const u8* text, size_t from, size_t at) const;
    bool is_before_word(const u8* text, size_t length) const;

private:
    struct Passed {
        u64 begin, end;
    };
    u32 word_character(const u8* bytes) const;
    bool is_after_word(u32 before) const;
    bool is_before_word(const u8* text, size_t length, bool* open) const;

    static constexpr u64 kNowhere = ~u64{0};

    std::span<const layout::WordRange> characters_;
    u32 before_ = 0;  // the last four bytes of the text that has been searched, the last one lowest; 0 where there is none
    u64 undecided_ = kNowhere;  // a token that is passed over may begin here
    Buffer<Passed> passed_;     // ascending, and apart; from gone_ on
    size_t gone_ = 0;
};

}  // namespace crayon
