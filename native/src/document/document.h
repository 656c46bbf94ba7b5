// A text that is edited, with its ids: those of the whole text, after every edit. The cost of an edit is that of encoding what
// changes, and a walk down a tree (text_edit.h says why that suffices).
//
// Positions are UTF-16 units, or bytes. A text counted in units is one of JavaScript's strings, in which an edit may split a
// surrogate pair and another one join it (surrogate_halves.h); its leaves end between characters. A text counted in bytes may be
// any bytes. A document has a policy and a tokenizer, and borrows an encoder of it for each edit. Copies share what they can
// (text_tree.h).
//
// A masked document also knows which ranges of its text a template wrote (Encoder::begin_masked). What text_edit.h says of equal
// texts holds for texts that have equal ranges as well, and an edit changes no ranges but those of what it replaces.
#pragma once

#include "document/text_edit.h"

namespace crayon {

class Document {
public:
    // An empty text. `unit`: CRAYON_UNIT_BYTES or CRAYON_UNIT_UTF16. INVALID_ARGUMENT, OUT_OF_MEMORY.
    static Status create(Tokenizer& tokenizer, u32 special, std::span<const u32> allowed, u32 unit, Document** out);
    Status copy(Document** out) const;
    ~Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    // Keeps a part of a long text for the next `replace`, which it begins. OUT_OF_MEMORY: nothing is kept.
    Status keep_units(std::span<const u16> units);
    Status keep_bytes(std::span<const u8> bytes);
    // The document is masked, and the next `replace` brings a text of which the template wrote these ranges, in units or bytes of
    // it; without this the callers wrote it all. INVALID_ARGUMENT with the index of a range that does not follow the one before,
    // and if a text is there that has no ranges; OUT_OF_MEMORY.
    Status keep_ranges(std::span<const u32> ranges);
    // Replaces [start, end). The encoder must be of this tokenizer; its text is lost. A failure changes nothing:
    // INVALID_ARGUMENT for a range outside the text, or inside a surrogate pair of a masked one, TEXT_TOO_LONG, OUT_OF_MEMORY,
    // and those of Encoder::read, with the position in the text that would be.
    Status replace_units(Encoder& encoder, u32 start, u32 end, std::span<const u16> units, TextChange* change);
    Status replace_bytes(Encoder& encoder, u32 start, u32 end, std::span<const u8> bytes, TextChange* change);

    // Of the leaves that edits make from now on: tests make short ones.
    void set_sizes(const TextEdit::Sizes& sizes) { sizes_ = sizes; }

    bool is_of_bytes() const { return is_of_bytes_; }
    u32 length() const { return is_of_bytes_ ? tree_.sums().bytes : tree_.sums().units; }
    u32 count() const { return tree_.sums().ids; }
    // Writes ids [from, to).
    Status copy_ids(u32 from, u32 to, u32* ids) const;
    // The first token that ends after a position; count() if there is none.
    Status token_at(Encoder& encoder, u32 position, u32* token) const;
    // Writes text [from, to): units, or bytes.
    Status copy_units(u32 from, u32 to, u16* units) const;
    Status copy_bytes(u32 from, u32 to, u8* bytes) const;

private:
    Document(Tokenizer& tokenizer, u32 special, bool is_of_bytes);
    struct Edge {
        u32 byte;   // of the character
        u16 half;   // of the pair that the position splits, on the edge's side of it; else 0
        u16 alone;  // the half without another one that begins here; else 0
    };
    Edge edge_at(u32 unit, bool is_end) const;
    u16 half_before(u32 byte) const;
    Status begin(Encoder& encoder, const Buffer<u32>& ranges) const;
    // What an edit puts in the place of bytes [start, end).
    struct Part {
        std::span<const u8> bytes;
        bool has_halves;
        std::span<const u32> ranges;
    };
    bool put_ranges(u32 start, u32 end, const Part& part, Buffer<u32>& ranges) const;
    Status edit(Encoder& encoder, u32 start, u32 end, const Part& part, TextChange* change);

    Tokenizer& tokenizer_;
    const u32 special_;
    const bool is_of_bytes_;
    Buffer<u32> allowed_;
    bool is_masked_ = false;
    Buffer<u32> ranges_, kept_ranges_;  // in bytes of the text; of the next replacement, in its unit
    TextTree tree_;
    TextEdit::Sizes sizes_;
    Buffer<u16> kept_units_;
    Buffer<u8> kept_bytes_;
};

}  // namespace crayon
