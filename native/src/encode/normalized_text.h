// Text for a device whose vocabulary has a normalizer: normalized here, between the added tokens of the raw text, and divided in
// raw text where its two sides are normalized independently of each other: between two words (encode/raw_words.h), or, where only
// spaces change, between two characters (encode/marked_pieces.h). Such spaces stay as they are.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "normalize/rewrites.h"

namespace crayon {

class Tokenizer;

class NormalizedText {
public:
    // Whether the text between two added tokens is normalized as if it were alone, apart from its edges.
    static bool is_possible(const Tokenizer& tokenizer);
    // Whether text changes before a device has it.
    static bool is_needed(const Tokenizer& tokenizer);
    // Whether the text of [begin, end) is normalized as its two parts would be. Finds the usual places, not all of them.
    static bool divides_at(const Tokenizer& tokenizer, const u8* bytes, u64 begin, u64 at, u64 end);
    // The same, and words are encoded in the same way. For WordPiece.
    static bool cuts_words_at(const Tokenizer& tokenizer, const u8* bytes, u64 begin, u64 at, u64 end);

    void clear() { bytes_.clear(); }
    // Appends what the beginning of text[0, length) becomes, the text between two added tokens or a part of it; the last `stays`
    // bytes stay as they are and are not appended. `edges`: SegmentEdges of its beginning. `is_followed`: kScanPadding more bytes
    // are readable. OUT_OF_MEMORY.
    Status append(const Tokenizer& tokenizer, const u8* text, u64 length, u32 edges, bool is_followed, u64* stays);
    const u8* data() const { return bytes_.data(); }
    u64 size() const { return bytes_.size(); }

private:
    Status append_words(const Tokenizer& tokenizer, const u8* text, u64 length);
    Status append_marked(const Tokenizer& tokenizer, const u8* text, u64 length, u32 edges, u64* stays);
    Status rewrite(const Normalizer& normalizer, const u8* text, u64 begin, u64 end, u32 edges);

    Buffer<u8> bytes_, raw_;
    Normalizer::Scratch scratch_;
    Rewrites rewrites_;
};

}  // namespace crayon
