// Cuts a text that arrives in windows into parts within a limit of tokens, each by the rule of part_cutter.h.
//
// With separators (separators.h), a part ends at the strongest of those positions in the last half of the bytes that the rule
// allows that are between two tokens, and at the last one of equal strength:
//
//   begin ───────────── half ──── a ───── b ── the rule's end      b, unless a is stronger
//
// So every part but the last has at least half of what it could have. If a candidate does not fit when counted alone, the next
// best is tried, sixteen in all, and then the rule's end.
//
// With an overlap, the next part begins with the part's last `overlap` tokens, or fewer by the same rule; with separators, at
// the strongest one in the first half of these. A part that is shorter than it could be repeats less, so that each part ends
// after the one before it. The parts do not depend on the windows.
#pragma once

#include "encode/fed_text.h"
#include "limits/part_cutter.h"
#include "limits/separators.h"

namespace crayon {

class Splitter {
public:
    // Begins a text. INVALID_ARGUMENT, OUT_OF_MEMORY.
    Status begin(const crayon_part_form& form);
    // Appends a window of the text. INVALID_ARGUMENT after the `last`; TEXT_TOO_LONG, OUT_OF_MEMORY.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const Kernel& kernel, const u16* units, size_t length, bool last);

    // Writes the parts that later windows cannot change: begin, end and tokens of each. A character that does not fit ends them:
    // an empty part, with its number of tokens. `more`: the capacity, in numbers, has run out. The encoder, which is this text's
    // until the next call, has the policy. Failures are those of encoding the part in question; SPECIAL_FORBIDDEN,
    // UNKNOWN_CHARACTER with the byte in the text.
    Status read(Encoder& encoder, u32* numbers, u32 capacity, Encoder::Read* read);

    // The length of UTF-8 in a unit.
    static u32 length_in(u32 unit, const u8* begin, const u8* end);

    u64 work() const { return cutter_.work(); }

private:
    using Part = PartCutter::Part;
    // Counts positions of the text in UTF-16 units; they must not go back.
    struct Units {
        size_t at;
        u32 units;
    };
    // A separator.
    struct Ranked {
        u32 rank;
        size_t at;
    };

    Status append();
    Status next(Encoder& encoder, Part* part, bool* found);
    Status choose(Encoder& encoder, Part* part);
    Status attempt(Encoder& encoder, size_t end, Part* part, bool* fits);
    Status repeat(Encoder& encoder, const Part& part);
    struct Range {
        size_t from, to;
        size_t end;     // of the longest part possible
        bool is_first;  // of equally strong separators, the first one is better, not the last
    };
    bool find_next(const Range& range, Ranked* best);
    u32 move(Units& units, size_t at) const;
    PartCutter::Text text() const { return {{text_.bytes(), text_.ready()}, text_.origin(), text_.is_last()}; }
    TextView window() const { return {text_.bytes(), cutter_.window_end()}; }

    u32 limit_ = 0, overlap_ = 0, unit_ = 0;
    FedText text_;
    PartCutter cutter_;
    PartCutter::Windows windows_;  // of the next part
    Separators separators_;
    size_t begin_ = 0, end_ = 0;  // where the next part begins, and the last one ends
    bool is_over_ = false;
    Units begin_units_ = {0, 0}, end_units_ = {0, 0};
    u32 pending_[3] = {}, pending_count_ = 0;  // numbers of a part that have not been read
};

}  // namespace crayon

// The encoder of the C interface: an Encoder, and what cuts texts to limits with it.
struct crayon_encoder {
    explicit crayon_encoder(crayon::Tokenizer& tokenizer) : encoder(tokenizer) {}

    crayon::Encoder encoder;
    crayon::Splitter splitter;
    crayon::PartCutter cutter;
    crayon::FedText converted;  // a text to be cut that came as UTF-16
    bool splits = false;        // the text is to be cut into parts
};
