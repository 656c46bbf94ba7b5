// Added tokens that match only as whole words (layout::kSingleWord): neither after a word character nor before one. The
// cartridge defines the word characters.
//
// A token that is part of a longer word is rejected: it is text, and no other token begins inside it. So the text from a
// position inside it, or from its first byte, may have other tokens than the whole text. Such positions are not safe split
// points (parallel/chain.h), and neither is the end of the searched text, which may become one. (A position inside the
// character before such a token would not be one either, but no piece ends inside a character.)
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

    using Text = AddedSearch::Text;  // starts where the last search stopped
    // Like AddedSearch::find. False if memory is short.
    [[nodiscard]] bool find(AddedSearch& tokens, const Text& text, AddedSearch::Found* found);
    // The search has reached text[at], where the next one continues; `decided`: later text cannot change anything before that.
    void advance(const Text& text, size_t at, bool decided);
    // The rest begins like a new text.
    void end_piece() { before_ = 0; }

    // Whether the text from a position on may have other tokens than within the whole text.
    bool holds(u64 position) const;
    // Earlier positions will not be queried any more.
    void drop_before(u64 position);

    // Whether a word character precedes text[at], in the text from text[from] on; whether text[0, length) begins with one.
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
    u32 before_ = 0;            // the last four searched bytes, the last one lowest; 0 where there are none
    u64 undecided_ = kNowhere;  // a rejected token may begin here
    Buffer<Passed> passed_;     // ascending and disjoint; valid from gone_ on
    size_t gone_ = 0;
};

}  // namespace crayon
