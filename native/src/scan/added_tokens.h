// Finds added tokens (special ones and others) in a text before pretokenizing: the leftmost, and of those that begin at
// the same place the longest.
//
// The tokens are sorted by their bytes; walking the text then narrows a range of them, like a trie would, without
// building one. No token is longer than layout::kMaxAddedTokenLength, which bounds the walk at each place. A text
// without the first byte of any added token costs one search for that byte.
#pragma once

#include <span>

#include "base/buffer.h"
#include "cartridge/cartridge.h"

namespace crayon {

class AddedTokens {
public:
    // Keeps pointers into the view's cartridge. Cost: sorting the tokens.
    Status build(const TokenizerView& view);
    bool built() const { return built_; }
    bool empty() const { return order_.empty(); }

    struct Found {
        size_t position;                  // where it begins; without one, there is no match before
        const layout::AddedToken* token;  // nullptr: none begins before `position`
    };
    // Searches text[from, size). `wanted[i]`: whether to find added token i of the view. If more text follows
    // (`last` is false), the search stops where that text might complete a token.
    Found find(const u8* text, size_t from, size_t size, bool last, const u8* wanted) const;

private:
    std::string_view bytes(u32 place) const { return view_.bytes(view_.added[order_[place]]); }

    TokenizerView view_;
    Buffer<u32> order_;  // indices of the view's added tokens, ascending by bytes
    bool first_[256] = {};
    int only_first_ = -1;  // the byte that all tokens begin with; -1 if there are several
    bool built_ = false;
};

}  // namespace crayon
