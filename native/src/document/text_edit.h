// One edit of a text in segments (text_tree.h): which leaves it replaces, and by which.
//
// Invariant of a tree: each leaf begins and ends at safe split points of the text (parallel/chain.h), its ids are the ids of the
// text between, and its reach says how far the text had been read when the encoder settled both: the encoder stopped at the
// leaf's end, and had not been told of any text from there on, nor that the text ends. (To be told that the text ends counts as
// one more byte.) What an encoder has settled no further text can change: from where it began, the chain of every text that goes
// on differently beyond the reach comes to the leaf's start and end, with the same ids. As the chain from the leaf's start is a
// function of the text from there on, this is true of every text that is the same from the leaf's start to its reach, whatever is
// before the leaf. So
//   - A leaf that does not reach the first changed byte stays as it is. This covers whatever makes a piece look ahead, such as
//     whitespace before a word, a normalizer's range, the rest of an added token or of whitespace that it includes, a whole
//     word, because the reach is what was read, not what a rule says.
//   - The first leaf that reaches it begins where the leaf before it ends, which is a safe split point of the new text, for the
//     same reason. The encoder goes on from there with the new text.
//   - An old leaf after the changed bytes begins at a safe split point c of the old text, so the old ids from c on depend only
//     on the text from c on, which is the same in the new text. If the encoder finds c to be a safe split point of the new text,
//     the new ids from c on are these. (This is the argument of chain.h for two chains that meet, with the old text's chain in
//     place of the second one.) The reach of these leaves counts from their starts, and ends in unchanged text.
//   - The beginning of a text is not a safe split point in this sense: some vocabularies put a space in front. So what was the
//     beginning of the text, or becomes it, is encoded again.
// If the chains never meet, the rest of the text is encoded, as it would be in `encode`. A leaf is as long as the encoder needs
// to find a safe split point: a text that is all one piece (a megabyte of one letter, or a text for Unigram whose scores are
// summed as floats, model/segment_words.h) is one leaf, and an edit costs as much as encoding it.
#pragma once

#include "document/text_tree.h"
#include "encode/encoder.h"

namespace crayon {

// Ids [from, from + removed) became `inserted` others.
struct TextChange {
    u32 from, removed, inserted;
};

class TextEdit {
public:
    // The most bytes of a text.
    static constexpr u32 kMostBytes = 0x7FFFFFFF;

    // Bytes of a leaf, about, and how far beyond its end the text is read at first.
    struct Sizes {
        // A leaf of 512 bytes is encoded in about 3 µs, and its nodes take a fifth of its bytes (2026-11).
        u32 leaf = 512;
        // The pretokenizers look 72 bytes ahead.
        u32 beyond = 96;
    };

    // Edits whole characters, unless the text is of bytes. The encoder must have begun a text with the policy.
    TextEdit(TextTree& tree, Encoder& encoder, bool is_of_bytes, const Sizes& sizes)
        : tree_(tree), encoder_(encoder), is_of_bytes_(is_of_bytes), sizes_(sizes) {}
    ~TextEdit();
    TextEdit(const TextEdit&) = delete;
    TextEdit& operator=(const TextEdit&) = delete;

    // Replaces bytes [start, end), in which `has_halves` is of the new ones; the tree changes only if all succeeds. The position
    // of a failure in the text is a byte of the new text; failed_units() counts the units before it.
    Status run(u32 start, u32 end, std::span<const u8> bytes, bool has_halves, TextChange* change);
    u32 failed_units(u64 position) const;

private:
    u32 longest() const { return 2 * sizes_.leaf; }
    u32 shortest() const { return sizes_.leaf / 4; }

    struct Start {
        u32 position, leaf;
    };
    Status append(const TextLeaf& leaf, u32 from);
    Status append(const u8* bytes, u32 count, bool has_halves);
    Status pull();
    Status encode();
    Status read_to(u32 target, u32 at, u32* end, u32* reach);
    Status read();
    Status cut(u32 begin, u32 end, u32 reach);
    Status merge_short();
    Status combine(const TextLeaf& first, const TextLeaf& second, TextLeaf** out);
    Status compare(TextChange* change);
    bool is_at_end() const { return next_ == leaves_; }

    TextTree& tree_;
    Encoder& encoder_;
    const bool is_of_bytes_;
    const Sizes sizes_;
    TextTree::Place begin_ = {};  // the first leaf that is replaced
    u32 leaves_ = 0, next_ = 0;   // leaves of the old text, and the next one whose text is not here yet
    u32 met_ = 0;                 // the first leaf after the replaced ones
    bool has_halves_ = false;     // in the text here
    Buffer<u8> text_, encoded_;   // the new text from begin_ on, and what the encoder gets if halves are in it
    Buffer<Start> starts_;        // of old leaves in it, after the edit
    Buffer<u32> ids_, old_ids_;
    u32 fed_ = 0, cut_ids_ = 0;  // bytes that the encoder has; ids in leaves
    bool is_last_ = false;       // the encoder knows that the text ends
    Buffer<TextLeaf*> made_;
};

}  // namespace crayon
