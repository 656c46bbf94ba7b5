// bert: whitespace is removed, punctuation is isolated (BertPreTokenizer of Hugging Face). whitespace_split: whitespace is
// removed.
//   bert        \s*P|\s*[^\s P]+|\s+        P: scan/symbols.h
//   whitespace_split  \s*\S+|\s+
//
// Removed whitespace begins the piece after it, which halves the number of pieces; models of such text know that it has no
// token. So a piece ends before whitespace and around punctuation, but not where whitespace precedes it.
#pragma once

#include "scan/block.h"
#include "scan/symbols.h"

namespace crayon::CRAYON_KERNEL {

struct Bert {
    using Symbols = BertPunctuation;

    bool ignores_punctuation = false;

    // The boundaries inside the block, from its masks and the previous state, which always determine them.
    bool starts(const Block& b, ScanState& state, size_t& confirmed, u64& starts) const {
        confirmed = ScanState::kNowhere;
        Before& before = state.before;
        const u64 space = b.space | b.newline, punctuation = ignores_punctuation ? 0 : b.symbol;
        const u64 around = space | punctuation | Block::after(punctuation, before.other);
        starts = b.valid & around & ~(Block::after(space, before.space) | b.continuation);
        before.space = b.last_bit(space);
        before.other = b.last_bit(punctuation);
        return true;
    }
};

// The same for text not normalized yet: BertNormalizer makes ideographs words.
struct BertAndIdeographs : Bert {
    using Symbols = BertPunctuationAndIdeographs;
};

}  // namespace crayon::CRAYON_KERNEL
