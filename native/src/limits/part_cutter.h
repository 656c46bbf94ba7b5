// The one rule by which a text is cut to a limit of tokens: for every model and normalizer, for `truncate` as for `split`.
//
// Encoding does not commute with cutting: the tokens of a part may differ from those that it has in the whole text, and those
// of a piece of a megabyte are only known at its end. So:
//
//   begin ───────────── limit ── limit + 1 ─────── window
//     └─ tokens, as the encoder reads them ─┘
//     └─── the part ───┘  counted alone
//
//  1. The encoder reads the text from the beginning of the part on, as a text of its own, until it has `limit` + 1 tokens. It
//     looks at 6 bytes a token and 64 more, the window, and on to the end of the cluster there if that is within 64 bytes, and
//     takes the text to end there; while that gives fewer tokens, the window doubles. If the text itself ends there with fewer,
//     the part is all of it.
//  2. The part ends at the last of the first `limit` tokens at whose end a grapheme cluster ends, too, or behind which one does
//     before the next token begins, and that leaves the part within the limit when it is encoded alone. After eight such ends
//     that do not, every second, fourth, eighth … token is tried.
//  3. Many tokens may end where a whole run of characters does. So if an end was over the limit, or there is none, the part goes
//     on: to the end of its first cluster, or to one behind twice as many bytes, as long as that is nearer and within the limit.
//     If the part is empty then: all of that with ends of code points. If it still is, there is no part.
//
// The end of a text is cut off by the mirror image: the encoder reads the last bytes, a window that doubles until it has 16
// tokens more than the limit, since the first ones are not those of the whole text; the first beginning of a token counts.
//
// Nothing else matters: neither other parts nor earlier texts. (Counting a part alone begins where reading it had a safe split
// point that text after the part cannot change, which gives the same number.) Hence the cost of a part is at most that of
// encoding four times its window (windows that double add up to twice the last one; in both passes, one end that is too far) and
// twice the part, which doubles, too; and, for each of the 8 + log2(limit) ends of tokens that are tried in both passes, of the
// bytes up to that end. A window only grows while all of it is within the limit; a part that is much shorter than such a window
// is replaced by that window, so a large window always makes a large part.
#pragma once

#include "encode/encoder.h"
#include "limits/text_view.h"

namespace crayon {

class PartCutter {
public:
    // A text, of which the first byte is at `origin` of a longer one: failures count from there. `last`: it ends with the view.
    struct Text {
        TextView view;
        u64 origin;
        bool last;
    };
    struct Part {
        size_t begin, end;  // equal if not even one character fits
        u32 tokens;         // of the part; of its first character if that does not fit
    };

    // The windows of a part that have been read: the next one, and the end and tokens of the last one that was within the limit.
    struct Windows {
        u64 next = 0;
        size_t size = 0;
        u32 tokens = 0;
    };
    // The part that begins at `begin`, which is between characters. `more`: it depends on text still to come; the part is not
    // set. That is so whenever the text lacks some of the window. With more text, give the `windows` again, so that none is read
    // twice; they are new for a new part. Without them, the text at hand is tried. The encoder has the policy. Fails as encoding
    // the part does.
    Status cut_end(Encoder& encoder, const Text& text, size_t begin, u32 limit, Windows* windows, Part* part, bool* more);
    // The part of text[begin, end) that ends at `end`. `more`: it depends on text before `begin`; nullptr if there is none.
    Status cut_begin(Encoder& encoder, const Text& text, size_t begin, size_t end, u32 limit, Part* part, bool* more);

    // The last `limit` tokens of a part that the last cut_end has found, or fewer: a part that ends where it does.
    Status cut_last(Encoder& encoder, const Text& text, const Part& whole, u32 limit, Part* part);

    // The end of what the last cut_end looked at. The tokens that the last cut read.
    size_t window_end() const { return window_end_; }
    u32 token_count() const { return static_cast<u32>(tokens_.size() / 2); }
    size_t token_begin(u32 token) const { return position(tokens_[2 * token]); }
    size_t token_end(u32 token) const { return position(tokens_[2 * token + 1]); }

    // Counts the tokens of text[begin, end) encoded alone, up to `limit` + 1. `fits`: they are within the limit. Text that cannot
    // be encoded alone, since it ends inside a token whose characters are unknown, does not fit.
    Status count(Encoder& encoder, const Text& text, size_t begin, size_t end, u32 limit, u32* tokens, bool* fits);

    // Bytes given to the encoder so far: tests count these instead of time.
    u64 work() const { return work_; }

private:
    // Candidates for the other end of a part: `count` token ends, back from the best one, or beginnings, forward from it.
    struct Candidates {
        bool are_begins;
        size_t fixed, window;  // the end of the part that is given; how far to look from there
        u32 best, count;
    };
    // Where reading was: every text that begins with the bytes up to `fed` has the same tokens up to `at`, a safe split point.
    struct Checkpoint {
        size_t fed, at;
        u32 tokens;
    };
    Status read(Encoder& encoder, const Text& text, size_t begin, size_t end, bool last, u32 max_tokens);
    Status read_on(Encoder& encoder, const Text& text, size_t from, size_t end, bool last, u32 max_tokens);
    Checkpoint resume(Encoder& encoder, const Text& text, size_t begin, size_t end);
    Status choose(Encoder& encoder, const Text& text, const Candidates& candidates, u32 limit, Part* part);
    static constexpr size_t kNowhere = ~size_t{0};
    size_t end_at(const TextView& view, u32 token, bool by_cluster) const;
    size_t begin_at(const TextView& view, u32 token, bool by_cluster) const;
    Status choose_begin(Encoder& encoder, const Text& text, size_t from, size_t end, u32 limit, Part* part);
    size_t position(u32 offset) const { return offset < read_bytes_ ? read_begin_ + offset : read_begin_ + read_bytes_; }

    size_t read_begin_ = 0, read_bytes_ = 0, window_end_ = 0;
    Buffer<Checkpoint> checkpoints_;  // of the last reading, ascending
    Buffer<u32> ids_, tokens_;        // start and end of each token
    u64 work_ = 0;
};

}  // namespace crayon
