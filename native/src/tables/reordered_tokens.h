// Tokens in another order: by rank instead of by id, or the reverse.
#pragma once

#include <cstring>

#include "base/buffer.h"
#include "crayon/layout/cartridge.h"
#include "tables/rank_table.h"

namespace crayon {

class ReorderedTokens {
public:
    // Token i is token order[i] of `tokens`; `order` contains each id once. False if memory is short.
    [[nodiscard]] bool make(const TokenList& tokens, const u32* order) {
        if (!offsets_.resize(size_t{tokens.count} + 1) || !bytes_.resize(tokens.offsets[tokens.count])) return false;
        u32 end = 0;
        offsets_[0] = 0;
        for (u32 i = 0; i < tokens.count; ++i) {
            const u32 length = tokens.length(order[i]);
            if (length > 0) std::memcpy(bytes_.data() + end, tokens.token(order[i]), length);
            offsets_[i + 1] = end += length;
        }
        return true;
    }
    TokenList tokens() const { return {bytes_.data(), offsets_.data(), static_cast<u32>(offsets_.size()) - 1}; }

private:
    Buffer<u8> bytes_;
    Buffer<u32> offsets_;
};

// Inverts an order; false if memory is short or if it does not contain each number below `count` once.
[[nodiscard]] inline bool invert(const u32* order, u32 count, Buffer<u32>* inverse) {
    if (!inverse->assign(count, layout::kNone)) return false;
    for (u32 i = 0; i < count; ++i) {
        if (order[i] >= count || (*inverse)[order[i]] != layout::kNone) return false;
        (*inverse)[order[i]] = i;
    }
    return true;
}

}  // namespace crayon
