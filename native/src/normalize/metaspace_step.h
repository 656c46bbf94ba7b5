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
    // `replacement`: one character. `tokens`: added tokens that are text of their own, as symbols.h reads them; empty without
    // any. These bytes stay. OUT_OF_MEMORY.
    Status create(u32 flags, std::string_view replacement, std::string_view tokens);

    bool has_tokens() const { return has_tokens_; }
    // Whether tokens are only found where special ones are, and include the whitespace before them.
    bool knows_special() const { return (flags_ & layout::kTakesWhitespace) != 0; }
    // Whether a character is taken out, so that a word begins.
    bool drops(u32 code) const;
    // Whether a token may have the character, which is not to be cut, and whether one may end with it: what follows depends on
    // it. That includes whitespace which becomes part of a token.
    bool is_in_token(u32 code) const;
    bool ends_token(u32 code) const;

    // Replaces scratch.text. `edges`: SegmentEdges. Cost: linear. OUT_OF_MEMORY.
    Status run(u32 edges, Normalizer::Scratch& scratch) const;

private:
    u32 flags_ = 0;
    u32 mark_ = 0;
    bool has_tokens_ = false;
    Symbols tokens_;
    Buffer<u32> token_characters_, token_ends_;  // ascending
};

}  // namespace crayon
