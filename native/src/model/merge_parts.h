// A long piece of few different bytes, merged in parts: a long range of spaces and tabs consists of the same few hundred
// short texts in varying order, so the ids of the parts are cached, and joined where they meet.
//
// A sequence of tokens is the encoding of its bytes if every adjacent pair is (backtracking.h). So the ids of the next part
// follow the ids of the text so far if the two tokens at the seam are adjacent. If they are not, these two are merged again
// as one text, usually a known part too; then the last two and the first two, and so on, until the merged text is adjacent
// to the tokens on both sides. With tokens of one to four dots and "..-":
//
//   so far         the next part    at the seam
//   [....] [..]    [-] [....]       ".." and "-" are not adjacent
//   [....] [..-] [....]             the two as one text; it is adjacent to both sides
#pragma once

#include "base/buffer.h"
#include "model/backtracking.h"
#include "model/bpe_pairs.h"
#include "model/piece_memory.h"
#include "platform/zeroed_pages.h"

namespace crayon {

struct PartsScratch {
    static constexpr u32 kMostIds = 11;

    // One cache line: its text (merge_parts.cpp) and its ids. All zero: empty.
    struct alignas(64) Part {
        PieceMemory::Key text;
        u32 count;
        u32 ids[kMostIds];
    };
    // The limit of the parts in bytes. A table of another size is freed.
    void set_limit(u64 bytes) {
        const u32 before = bits;
        bits = kLeastBits;
        while (bits < kMostBits && sizeof(Part) << (bits + 1) <= bytes) ++bits;
        if (bits == before) return;
        ZeroedPages none;
        parts.swap(none);
    }
    // A text of spaces and tabs in any order is encoded half as fast with a quarter of the most (2026-11).
    static constexpr u32 kLeastBits = 6, kMostBits = 15;

    ZeroedPages parts;
    u32 bits = kMostBits;  // of their number, once there are any
    Adjacency adjacency;
    BacktrackingScratch backtracking;
    Buffer<u32> mended;  // ids of re-merged text
};

class PartsMerger {
public:
    PartsMerger(const u8* piece, u32 length, u32 part_length, const BpePairs& pairs, const u32* byte_ids, const BpeView& tables,
                const Backtracking& backtracking, PartsScratch& scratch, PieceMemory& memory)
        : piece_(piece),
          length_(length),
          part_length_(part_length),
          pairs_(pairs),
          byte_ids_(byte_ids),
          tables_(tables),
          backtracking_(backtracking),
          scratch_(scratch),
          memory_(memory) {}

    // The length of parts of a piece that are likely to recur, not counting the rest of the run that the last byte is in.
    // 0: none are, or the piece is too short.
    static u32 part_length(const u8* piece, u32 length);
    static constexpr u32 kShortest = 64;

    // Writes the ids and returns their number; 0 if the parts do not meet soon enough, or if memory is short. `ids` needs
    // space for `length` + kPadding. kPadding bytes must be readable after the piece. Cost: linear.
    u32 merge(u32* ids);
    static constexpr u32 kPadding = 16;

private:
    u32 part_end(u32 at) const;
    enum Otherwise { kNothing, kBacktrack };  // for a part with too many runs
    u32 ids_of(const PieceMemory::Key& text, u32 begin, u32 end, Otherwise otherwise, u32* ids);
    u32 ids_of_long(const u8* bytes, u32 length, u32 fewest, Otherwise otherwise, u32* ids);
    bool mend(u32 seam, u32* ids, u32& count, u32& added);
    bool adjacent(u32 left, u32 right) { return scratch_.adjacency.adjacent(left, right, pairs_); }
    u32 length_of(u32 rank) const { return static_cast<u32>(tables_.ranked(rank).size()); }

    const u8* const piece_;
    const u32 length_, part_length_;
    const BpePairs& pairs_;
    const u32* const byte_ids_;
    const BpeView& tables_;
    const Backtracking& backtracking_;
    PartsScratch& scratch_;
    PieceMemory& memory_;  // has parts that are no Part
    u64 mended_ = 0;       // bytes merged again
    bool extends_ = true;  // whether parts extend to the end of a run of characters
};

}  // namespace crayon
