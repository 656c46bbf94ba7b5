// The tables by which devices merge BPE without a pretokenizer: between which bytes it is cut (scan/joined_bytes.h), and which
// pieces are a token as a whole. For vocabularies of bytes, and for those of characters with a token for each byte, whose
// normalizer changes spaces alone: SentencePiece's BPE. Devices get such text with its spaces, each the token of U+2581
// (encode/marked_pieces.h).
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"

namespace crayon {

class Tokenizer;

// Whether devices can encode text of this tokenizer, which has no pretokenizer.
bool devices_merge_uncut(const Tokenizer& tokenizer);

class UncutTables {
public:
    // False if memory is short.
    [[nodiscard]] bool make(const Tokenizer& tokenizer);
    // Valid as long as this object and the tokenizer. `byte_ranks`: as for any BPE; changes that of a space.
    void state(const Tokenizer& tokenizer, crayon_gpu_tables& tables, u32* byte_ranks) const;

private:
    Buffer<u32> whole_;  // a bit for each id
};

}  // namespace crayon
