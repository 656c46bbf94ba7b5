// A piece as units that merging may start from: its characters instead of its bytes, where that gives the same.
//
// BPE starts from bytes. In text that is not ASCII the first thing it does, nearly always, is to put each character
// together, and to look characters up instead saves two merges of three. That gives the same encoding if every
// character becomes what it becomes alone before a merge across one of its borders.
//
// Take the first merge that comes too early for a character. Up to then the character has merged only inside, so the
// merge takes a part of it, its end or its beginning, and a token beyond the border: a *crossing*. Vocabularies have few
// tokens that are made so (layout::kCrossings: some hundred in o200k), and one of them must lie in the text at this very
// place. And its rank must be below that of the character's own last merge: as long as the character is not finished, a
// merge of its own is open, and goes first. So a character is *closed*, and may be looked up, unless such a crossing
// lies at one of its borders. The others stay *open*: their units are their bytes.
#pragma once

#include "base/buffer.h"
#include "model/bpe_pairs.h"

namespace crayon {

// One thread.
class Characters {
public:
    // The memory comes with the first use; false: there is none.
    bool ready(const BpeView& tables) { return !seams_.empty() || build(tables); }

    // Writes the units of a piece, at most `length`; `count` is 0 if the piece is not UTF-8. `byte_ids`: the tokens of the
    // 256 bytes.
    struct Units {
        u32 count;
        u32 open;  // those that are bytes of open characters
    };
    Units units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units);

private:
    static constexpr u32 kPlanes = 0x20000, kSeams = 64 * 64, kLongest = 4;

    struct Character {
        const u8* bytes;
        u32 length;
        u32 rank;  // of its last merge; 0 if it has none
        bool open;
        u32 unit_count;
        u32 units[kLongest];  // if closed
    };

    bool build(const BpeView& tables);
    // The character at `bytes`, closed; false if there is none.
    bool read(const u8* bytes, u32 left, const BpePairs& pairs, const u32* byte_ids, Character* character);
    // Opens what a crossing at the border of two characters takes too early. `behind`: bytes left from the border on.
    void open(Character& before, Character& after, u32 in_front, u32 behind) const;
    static u32 seam_of(const u8* border) { return (border[0] & 63u) << 6 | (border[1] & 63u); }

    // By six bits of each of the two bytes behind a border, the crossings that begin there. `seams_`: bit b if one has a
    // byte before the border that ends in the six bits b; crossings_[first_[s], first_[s + 1]): their tokens.
    Buffer<u64> seams_;
    Buffer<u32> first_, crossings_;
    Buffer<u32> singles_;  // by code point: its token + 1; 0: not seen yet, or several tokens
    const layout::Split* splits_ = nullptr;
    const u32* token_offsets_ = nullptr;
    const u8* token_bytes_ = nullptr;
};

}  // namespace crayon
