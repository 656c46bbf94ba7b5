// Text that a pretokenizer drops: characters that have no ids, wherever they are. It begins the piece after it, so that there are
// half as many pieces; nothing else of a piece is dropped, so no token begins with such a character. And bytes or characters
// without a token, which are left out of the piece that they are in: tokens go on behind them.
#pragma once

#include <bitset>
#include <span>

#include "base/whitespace.h"
#include "scan/pattern_tables.h"

namespace crayon {

class DroppedText {
public:
    DroppedText() = default;
    // What a pretokenizer drops; the patterns, which are kept, are those of kPatternPretokenizer.
    DroppedText(u32 pretokenizer, const Patterns& patterns, const Patterns& inner);

    // Bytes that are left out of pieces, too.
    void leave_out(const std::bitset<256>& bytes) {
        leaves_out_ = true;
        left_out_ = bytes;
    }

    // The same of all characters but these, ascending, which are kept.
    void leave_out_all_but(std::span<const u32> code_points) {
        leaves_out_ = true;
        only_ = code_points;
        by_character_ = true;
    }

    bool any() const { return kind_ != kNothing || leaves_out_; }
    bool leaves_out() const { return leaves_out_; }
    // Of text[0, size), which is not empty: what is left out at its beginning, a byte or a character, or 0. Where these are
    // characters, one begins there.
    u32 left_out(const u8* text, size_t size) const {
        return by_character_ ? left_out_character(text, size) : leaves_out_ && left_out_[*text];
    }
    // Of text[0, size), which begins with nothing that is left out, what a token of `length` bytes is in.
    u32 extent(const u8* text, size_t size, u32 length) const;
    // The length of the dropped character that text[0, length) begins with, or 0. 3 bytes after it are readable.
    u32 at(const u8* text, u32 length) const {
        return kind_ == kWhitespace ? whitespace_at(text, length) : kind_ == kClasses ? character_at(text, length) : 0;
    }
    // Bytes that are left out are none. The length of the dropped text that text[0, length) begins with.
    u32 leading(const u8* text, u32 length) const {
        return kind_ == kWhitespace ? leading_space(text, length) : kind_ == kClasses ? leading_characters(text, length) : 0;
    }

private:
    enum Kind : u8 { kNothing, kWhitespace, kClasses };

    u32 left_out_character(const u8* text, size_t size) const;
    u32 character_at(const u8* text, u32 length) const;
    u32 leading_characters(const u8* text, u32 length) const;

    Kind kind_ = kNothing;
    bool leaves_out_ = false, by_character_ = false;
    std::bitset<256> left_out_;
    std::span<const u32> only_;
    // Not in every module.
    [[maybe_unused]] const Patterns* patterns_ = nullptr;
    [[maybe_unused]] const Patterns* inner_ = nullptr;
};

}  // namespace crayon
