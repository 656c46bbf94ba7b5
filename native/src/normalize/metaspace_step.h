// The Metaspace step of a normalizer program: words begin with the replacement, which stands for the spaces before them.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "crayon/layout/normalizer.h"
#include "normalize/normalizer.h"
#include "normalize/symbols.h"

namespace crayon {

class MetaspaceStep {
public:
    // `replacement`: one character. `tokens`: added tokens that are text of their own, as symbols.h reads them, and with
    // kTakesWhitespace a byte for each; empty without any. These bytes stay. OUT_OF_MEMORY.
    Status create(u32 flags, std::string_view replacement, std::string_view tokens);

    // Whether `tokens` are that.
    static bool are_tokens(const u8* tokens, size_t length, u32 flags);

    bool has_tokens() const { return has_tokens_; }
    // Whether some tokens are only found where special ones are.
    bool knows_special() const { return knows_special_; }
    // Whether a character is taken out, so that a word begins.
    bool drops(u32 code) const;
    // Whether a token may have the character, which is not to be cut, and whether one may end with it: what follows depends on
    // it. That includes whitespace which becomes part of a token.
    bool is_in_token(u32 code) const;
    bool ends_token(u32 code) const;

    // Replaces scratch.text. `edges`: StretchEdges. Cost: linear. OUT_OF_MEMORY.
    Status run(u32 edges, Normalizer::Scratch& scratch) const;

private:
    u8 spaces_of(u32 token) const { return spaces_ ? spaces_[token] : 0; }

    u32 flags_ = 0;
    u32 mark_ = 0;
    bool has_tokens_ = false, knows_special_ = false;
    Symbols tokens_;
    const u8* spaces_ = nullptr;                 // of each token: TokenSpaces
    u8 all_spaces_ = 0;                          // of any token
    Buffer<u32> token_characters_, token_ends_;  // ascending
};

}  // namespace crayon
