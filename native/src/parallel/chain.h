// Why a text can be encoded in parts, and the encoding of one part.
//
// A *safe split point* of a text is a position where what comes next depends only on the bytes after it. Let next(p) be where the
// piece, the added token or, for longest match without a pretokenizer, the token that begins at p ends. It depends on
// text[p, …) alone:
//   - No pattern has a lookbehind, so the piece at p is a function of the text after p (scan/scanner.h).
//   - The leftmost added token at or after p, and of those the longest, is a function of the text after p. It ends the
//     text that the pretokenizer sees. Where some are found in what others leave, the first ones before the end of such a
//     text are those that are found from p on, since none of them begins before p and ends after it; and so are then the
//     others in what they leave.
//   - The longest token at p is one too, and so is the character there, if no token matches.
//   - BPE without a pretokenizer has pieces as well: they end between two bytes that no token joins (scan/joined_bytes.h), which
//     no text around them changes.
//   - So is the whitespace that an added token includes (lstrip, rstrip), from the position on: none before is needed. What ends
//     inside of it is no safe split point.
//   - An added token may be found only as a whole word. Where one is passed over, no position in it is a safe split point, nor
//   its
//     first byte: what is before it matters. Any other safe split point has what comes next, as no other token begins before it
//     and ends after it.
//   - With a normalizer, the text is rewritten in stretches (normalize/nfc.h), of which each is a function of its bytes. What
//     ends inside of a rewritten one is no safe split point; from any other position on, the text is normalized as before, as is
//     a part of a stretch that is normalized.
//   - A space may be put in front of the text after an added token. Where one is put, what comes next depends on that token:
//     it is no safe split point. At any other safe split point the text goes on.
// So an encoder visits the chain 0, next(0), next(next(0)), …, and the ids between two safe split points of the chain are a
// function of the text from the first of them on. Start a second encoder at any byte b, with the text to its end before
// it: it visits b, next(b), …. If the two chains have one safe split point c in common, then all later ones, and from c on the
// same ids. Hence
//     ids(text) = ids of the first chain up to c + ids of the second chain from c on
// for every kind of tokenizer above, every text (ill-formed UTF-8, b inside a character or inside an added token,
// overlapping added tokens), and every b. If they never have a safe split point in common, the first goes on: nothing is lost but
// time. A failure (a forbidden special token, a character without id) is where a chain ends. It is the text's own if
// the chain has joined the first one before; then it is the first of the text, as the safe split points before it have none.
//
// Two things this does not allow. Joining at a token that both encoders have found (LoPT's Theorem 3.1) is wrong for
// pretokenized BPE, where the ends of tokens inside a piece are not safe split points: "ab " + 356 × U+0966 splits into groups of
// three digits, by a chain in another phase into others, with equal tokens between. And encoding a part of a text as if
// it ended there is wrong, even if it is cut again at a common safe split point: spaces that a newline follows are another piece.
// So every part is encoded with the text after it within sight.
//
// Where the chain that begins at b joins is a matter of speed: mostly at b itself (cuts.h), else after a few bytes.
#pragma once

#include <atomic>

#include "encode/encoder.h"

namespace crayon {

// The text of a row.
struct RowText {
    const u8* bytes;
    u64 size;
    bool last;  // it ends there; else more may follow
};

// Takes what an encoder reads: ids, or only their number.
class IdSink {
public:
    IdSink(Buffer<u32>& ids, bool counts) : ids_(ids), counts_(counts) {}
    // Reads all that is ready.
    Status read(Encoder& encoder);
    // Room for the ids of `bytes` of ordinary text.
    [[nodiscard]] bool reserve(u64 bytes) { return counts_ || ids_.reserve(ids_.size() + bytes / 3 + kLeastCapacity); }
    u64 count() const { return counts_ ? count_ : ids_.size(); }
    // Gives back the last ones.
    void drop(u64 ids) {
        if (counts_) {
            count_ -= ids;
        } else {
            ids_.truncate(ids_.size() - static_cast<size_t>(ids));
        }
    }

private:
    static constexpr size_t kLeastCapacity = 256;

    Buffer<u32>& ids_;
    const bool counts_;
    u64 count_ = 0;
};

// The chain from a safe split point of it to the first one at or after `target`.
struct Stretch {
    u64 begin, target;
    // How far beyond `target` the text is read if a piece is long.
    u64 reach;
};

// Encodes a stretch. `end` is its last safe split point: before the target if the text that is there, or within reach, does not
// decide it. The encoder has begun a text with the policy. On failure `end` is the position of the failure; it is
// CANCELLED if `abandoned` becomes true.
Status encode_stretch(Encoder& encoder, const RowText& text, const Stretch& stretch, const std::atomic<bool>& abandoned,
                      IdSink& sink, u64* end);

// A safe split point of a chain, and how many ids the chain has before it.
struct SplitPoint {
    u64 position, ids;
};

// The safe split points of the chain from `begin` up to the first one at or after `end`, `begin` among them, or fewer if the
// chain ends or goes on for long without one; and their ids.
Status list_split_points(Encoder& encoder, const RowText& text, u64 begin, u64 end, Buffer<SplitPoint>& splits, Buffer<u32>& ids);

// The first position that is in both lists, with the safe split point of each; false unless at least so many are.
bool find_common(const Buffer<SplitPoint>& a, const Buffer<SplitPoint>& b, SplitPoint* of_a, SplitPoint* of_b, u32 least = 1);

// Where the chain from `first` and the one from `second`, which is before it, join.
struct Meeting {
    bool found;
    u64 position;
    u64 skipped;  // ids of the second chain before the position
};
// Searches a few hundred bytes. `gap` takes the ids of the first chain up to the position.
Status find_meeting(Encoder& encoder, const RowText& text, u64 first, u64 second, Buffer<u32>& gap, Meeting* meeting);

}  // namespace crayon
