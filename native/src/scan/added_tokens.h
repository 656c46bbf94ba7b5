// Finding added tokens (special ones and others) in a text, before pretokenizing: the leftmost, and of those that begin
// at one place the longest.
//
// Rows are put in the order of their bytes; walking the text then narrows a range of rows, as a trie would, with
// nothing built but that order. A text in which no added token's first byte occurs costs one search for that byte.
#pragma once

#include <span>

#include "base/buffer.h"
#include "cartridge/cartridge.h"

namespace crayon {

class AddedTokens {
public:
    // Keeps pointers into the view's cartridge. Cost: sorting the rows.
    Status build(const TokenizerView& view);
    bool built() const { return built_; }
    bool empty() const { return order_.empty(); }

    struct Found {
        size_t position;                  // where it begins; without one, everything before is free of matches
        const layout::AddedToken* token;  // nullptr: none begins before `position`
    };
    // Searches text[from, size). `wanted[i]` says whether row i of the view counts. If the text goes on (`last` is
    // false) the search stops where a token might still be completed.
    Found find(const u8* text, size_t from, size_t size, bool last, const u8* wanted) const;

private:
    std::string_view bytes(u32 place) const { return view_.bytes(view_.added[order_[place]]); }

    TokenizerView view_;
    Buffer<u32> order_;  // rows, ascending by bytes
    bool first_[256] = {};
    int only_first_ = -1;  // the one byte that all tokens begin with
    bool built_ = false;
};

}  // namespace crayon
