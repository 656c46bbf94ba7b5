// Text for a device whose vocabulary has a normalizer: normalized here, between the added tokens of the raw text, and divided
// in raw text between two words that are normalized and encoded whatever is around them (encode/raw_words.h).
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "normalize/rewrites.h"

namespace crayon {

class Tokenizer;

class NormalizedText {
public:
    // Whether the text between two added tokens is normalized as if it were alone.
    static bool is_possible(const Tokenizer& tokenizer);
    // Whether [begin, end) may be divided there. Finds the usual places, not all of them.
    static bool cuts_at(const Tokenizer& tokenizer, const u8* bytes, u64 begin, u64 at, u64 end);

    void clear() { bytes_.clear(); }
    // Appends what text[0, length) becomes, the text between two added tokens or a part of it. OUT_OF_MEMORY.
    Status append(const Tokenizer& tokenizer, const u8* text, u64 length);
    const u8* data() const { return bytes_.data(); }
    u64 size() const { return bytes_.size(); }

private:
    Buffer<u8> bytes_, raw_;
    Normalizer::Scratch scratch_;
    Rewrites rewrites_;
};

}  // namespace crayon
