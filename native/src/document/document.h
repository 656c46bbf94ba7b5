// A text that is edited, with its ids: those of the whole text, after every edit. The cost of an edit is that of encoding what
// changes, and a walk down a tree (text_edit.h says why that suffices).
//
// Positions are UTF-16 units, or bytes. A text counted in units is one of JavaScript's strings, in which an edit may split a
// surrogate pair and another one join it (surrogate_halves.h); its leaves end between characters. A text counted in bytes may be
// any bytes. A document has a policy and a tokenizer, and borrows an encoder of it for each edit. Copies share what they can
// (text_tree.h).
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
    // Replaces [start, end). The encoder must be of this tokenizer; its text is lost. A failure changes nothing:
    // INVALID_ARGUMENT for a range outside the text, TEXT_TOO_LONG, OUT_OF_MEMORY, and those of Encoder::read, with the position
    // in the text that would be.
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
    Status begin(Encoder& encoder) const { return encoder.begin(special_, allowed_.data(), static_cast<u32>(allowed_.size())); }
    Status edit(Encoder& encoder, u32 start, u32 end, std::span<const u8> bytes, bool has_halves, TextChange* change);

    Tokenizer& tokenizer_;
    const u32 special_;
    const bool is_of_bytes_;
    Buffer<u32> allowed_;
    TextTree tree_;
    TextEdit::Sizes sizes_;
    Buffer<u16> kept_units_;
    Buffer<u8> kept_bytes_;
};

}  // namespace crayon
