// The units that merging starts from: a piece's characters instead of its bytes, where the result is the same.
//
// BPE starts from bytes. In non-ASCII text it nearly always completes each character first, and looking characters up
// instead saves two merges of three. The encoding is the same if every character merges as it would alone, before any merge
// across one of its borders.
//
// Consider the first merge that comes too early for a character. Until then the character has merged only inside, so this
// merge joins a part of it, its end or its beginning, to a token beyond the border: a *crossing*. Vocabularies have few
// tokens made this way (layout::kCrossings: about a hundred in o200k), and one of them must be in the text at exactly this
// position. Its rank must also be below the rank of the character's own last merge, because an incomplete character has a
// pending merge, which goes first. So a character is *closed*, and may be looked up, unless there is such a crossing at one
// of its borders. The other characters stay *open*: their units are their bytes. layout::kWordEnd, where
// used, counts as a character of one byte.
#pragma once

#include "base/buffer.h"
#include "model/bpe_pairs.h"

namespace crayon {

// One thread.
class Characters {
public:
    // Allocates the memory on first use; false if memory is short.
    bool ready(const BpeView& tables) { return !known_.empty() || build(tables); }

    // Writes the units of a piece, at most `length`; `count` is 0 if the piece is not UTF-8. `byte_ids`: the tokens of
    // the 256 bytes.
    struct Units {
        u32 count;
        u32 open;  // how many of them are bytes of open characters
    };
    Units units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units);

private:
    static constexpr u32 kPlanes = 0x20000, kSeams = 64 * 64, kLongest = 4, kSeveralBits = 12;
    // Beyond this many crossings at one seam, none are compared: the characters there are open.
    static constexpr u32 kMostAtSeam = 32;

    // A character alone.
    struct Closed {
        u32 code_point;
        u32 rank;        // of its last merge; 0 if it has none
        u32 unit_count;  // 0: not in the cache
        u32 units[kLongest];
    };
    struct Character {
        const u8* bytes;
        u32 length;
        bool open;
        Closed closed;
    };

    bool build(const BpeView& tables);
    // A byte that never occurs in UTF-8 and stands alone (layout/bpe.h); in other vocabularies a byte of ill-formed text.
    bool is_around_words(u8 byte) const { return marks_words_ && byte == layout::kWordEnd; }
    bool begins_seam(const u8* border) const;
    u32 learn(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs, const u32* byte_ids);
    static Closed merged_alone(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs, const u32* byte_ids);
    // The same for a character of several tokens, from the cache; valid until the next call.
    const Closed& several(const u8* bytes, u32 code_point, u32 length, const BpePairs& pairs, const u32* byte_ids);
    // The character at `bytes`, closed; false if there is none.
    bool read(const u8* bytes, u32 left, const BpePairs& pairs, const u32* byte_ids, Character* character);
    bool is_crossed(const u8* border, u32 bytes_before, u32 bytes_after) const;
    bool is_at(u32 crossing, const u8* border, u32 bytes_before, u32 bytes_after) const;
    // Marks the character that a crossing at the border between two merges too early as open. `bytes_before`,
    // `bytes_after`: the bytes of the piece before and after the border.
    void open(Character& before, Character& after, u32 bytes_before, u32 bytes_after) const;
    Units careful_units(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* units);
    static u32 seam_of(const u8* border) { return (border[0] & 63u) << 6 | (border[1] & 63u); }
    u32 length_of(u32 rank) const { return static_cast<u32>(t_.ranked(rank).size()); }
    const u8* bytes_of(u32 rank) const { return reinterpret_cast<const u8*>(t_.ranked(rank).data()); }

    // By code point: its single token + 1, kSeveral if it has several, 0 if not known yet; plus kSeam if a crossing may be
    // at the border before it.
    static constexpr u32 kSeam = u32{1} << 31, kSeveral = kSeam - 1;
    Buffer<u32> known_;
    Buffer<Closed> several_;  // a cache of the characters with several tokens

    // The crossings, indexed by s: the low six bits of each of the two bytes after the border. Bit b of seams_[s] is set if
    // a crossing has a byte with low six bits b before the border; crossings_[first_[s], first_[s + 1]) are their tokens,
    // or empty if there are more than kMostAtSeam.
    Buffer<u64> seams_;
    Buffer<u32> first_, crossings_;
    BpeView t_;
    const layout::Split* splits_ = nullptr;
    bool marks_words_ = false;
};

}  // namespace crayon
