// Why a text can be encoded in parts, and the encoding of one part.
//
// A *safe split point* of a text is a position from which encoding depends only on the bytes after it. Let next(p) be the
// end of the piece, the added token or, for longest match without a pretokenizer, the token that begins at p. It depends on
// text[p, …) alone:
//   - No pattern has a lookbehind, so the piece at p is a function of the text after p (scan/scanner.h).
//   - The leftmost added token at or after p, the longest on ties, is a function of the text after p. It ends the text that
//     the pretokenizer sees. With two searches, where the second only sees the text between the first ones' tokens, the
//     first tokens before the end of such a text are the tokens found from p on, since none of them begins before p and
//     ends after it; and the same follows for the second search between them.
//   - The longest token at p is also such a function, and so is the character there, if no token matches.
//   - BPE without a pretokenizer has pieces as well: they end between two bytes that no token joins (scan/joined_bytes.h),
//     independent of the surrounding text.
//   - The whitespace that an added token includes (lstrip, rstrip) is such a function, too, from the position on: no
//     whitespace before it is needed. A position inside such whitespace is not a safe split point.
//   - An added token may match only as a whole word. If one is rejected, neither a position inside it nor its first byte is
//     a safe split point: the text before it matters. From any other safe split point the result is the same, as no other
//     token begins before it and ends after it.
//   - With a normalizer, the text is rewritten in stretches (normalize/nfc.h), each a function of its own bytes. A position
//     inside a rewritten stretch is not a safe split point; from any other position on, the text is normalized as before,
//     because each part of a normalized text is normalized.
//   - A space may be put in front of the text after an added token. If one is, the result depends on that token, and the
//     position is not a safe split point. At any other safe split point the text simply continues.
// So an encoder visits the chain 0, next(0), next(next(0)), …, and the ids between two safe split points of the chain are a
// function of the text from the first of them on. Start a second encoder at any byte b, with the text from b to the end: it
// visits b, next(b), …. If the two chains share one safe split point c, they share all later ones, and the ids from c on.
// Hence
//     ids(text) = ids of the first chain up to c + ids of the second chain from c on
// for every kind of tokenizer above, every text (ill-formed UTF-8, b inside a character or inside an added token,
// overlapping added tokens), and every b. If they never share a safe split point, the first chain continues: only time is
// lost. A failure (a forbidden special token, a character without an id) ends a chain. It is a failure of the text itself
// if the chain has joined the first one before it; then it is the first one of the text, as there is none up to the
// preceding safe split points.
//
// Two things this does not allow. Joining at a token that both encoders have found (LoPT's Theorem 3.1) is wrong for
// pretokenized BPE, where token ends inside a piece are not safe split points: "ab " + 356 × U+0966 splits into groups of
// three digits, which a chain in another phase splits differently, with equal tokens between. And encoding a part of a text
// as a separate text is wrong, even if it is cut again at a common safe split point: spaces before a newline are a
// different piece. So every part is encoded with the following text in view.
//
// Where the chain from b joins only affects speed: mostly at b itself (cuts.h), else after a few bytes.
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

// Collects the ids an encoder reads, or only counts them.
class IdSink {
public:
    IdSink(Buffer<u32>& ids, bool counts) : ids_(ids), counts_(counts) {}
    // Reads all available ids.
    Status read(Encoder& encoder);
    // Makes room for the ids of `bytes` of ordinary text.
    [[nodiscard]] bool reserve(u64 bytes) { return counts_ || ids_.reserve(ids_.size() + bytes / 3 + kLeastCapacity); }
    u64 count() const { return counts_ ? count_ : ids_.size(); }
    // Removes the last ids.
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

// From one of a chain's safe split points to the first one at or after `target`.
struct Range {
    u64 begin, target;
    // How far beyond `target` the text is read if a piece is long.
    u64 reach;
};

// Encodes the chain in a range. `end` is its last safe split point: before the target if the available text, up to `reach`, does
// not decide the target's. The encoder must have begun a text with the policy. On failure `end` is the position of the failure;
// the status is CANCELLED if `abandoned` becomes true.
Status encode_range(Encoder& encoder, const RowText& text, const Range& range, const std::atomic<bool>& abandoned, IdSink& sink,
                    u64* end);

// A safe split point of a chain, and the number of the chain's ids before it.
struct SplitPoint {
    u64 position, ids;
};

// The safe split points of the chain from `begin` (included) up to the first one at or after `end`, or fewer if the chain
// ends or continues for long without one; and the chain's ids.
Status list_split_points(Encoder& encoder, const RowText& text, u64 begin, u64 end, Buffer<SplitPoint>& splits, Buffer<u32>& ids);

// The first position in both lists, with the safe split point of each; false unless they share at least `least` positions.
bool find_common(const Buffer<SplitPoint>& a, const Buffer<SplitPoint>& b, SplitPoint* of_a, SplitPoint* of_b, u32 least = 1);

// Where the chain from `first` and the one from `second`, an earlier position, join.
struct Meeting {
    bool found;
    u64 position;
    u64 skipped;  // ids of the second chain before that position
};
// Searches a few hundred bytes. `gap` receives the ids of the first chain up to the position.
Status find_meeting(Encoder& encoder, const RowText& text, u64 first, u64 second, Buffer<u32>& gap, Meeting* meeting);

}  // namespace crayon
