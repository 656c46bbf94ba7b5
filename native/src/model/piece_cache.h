// The ids of pieces that had to be merged before, behind the lookup of whole tokens: one for each encoder.
//
// Pieces that are tokens never come here: the cartridge finds them in one probe. The others are few in a text but slow,
// and they come again. A piece is its own key (its bytes, and its length in the last byte), so a hit is exact; what is
// kept is what the model answered, so the cache never changes a result. A set has two entries; a new piece takes the
// place of the first, which takes that of the second.
#pragma once

#include <cstring>

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"

namespace crayon {

// Keys of kWords words, for pieces of up to 8 · kWords − 1 bytes that have at most kIds ids; 2^kSetBits sets.
template <u32 kWords, u32 kIds, u32 kSetBits>
class PieceCache {
public:
    static constexpr u32 kLongestPiece = 8 * kWords - 1;
    static constexpr u32 kMostIds = kIds;

    struct Key {
        u64 words[kWords];

        bool operator==(const Key& other) const {
            u64 difference = 0;
            for (u32 i = 0; i < kWords; ++i) difference |= words[i] ^ other.words[i];
            return difference == 0;
        }
    };
    // length 1 … kLongestPiece; 8 · kWords bytes are readable at `piece`.
    static Key key_of(const u8* piece, u32 length) {
        Key key;
        std::memcpy(&key, piece, sizeof key);
        for (u32 i = 0; i < kWords; ++i) {
            const u32 bytes = length > 8 * i ? length - 8 * i : 0;  // of this word
            const u64 whole = bytes >= 8 ? ~u64{0} : 0;
            key.words[i] &= whole | ((u64{1} << (8 * bytes & 63)) - 1);
        }
        key.words[kWords - 1] |= u64{length} << 56;
        return key;
    }

    struct Entry {
        Key key;  // all zero: of no piece
        u32 count;
        u32 ids[kIds];
    };

    // The two entries that can hold a key.
    Entry* set(const Key& key) {
        u64 hash = 0;
        for (u32 i = 0; i < kWords; ++i) hash = (hash ^ key.words[i]) * layout::kMixA, hash ^= hash >> 32;
        return entries_.data() + 2 * (hash & ((u64{1} << kSetBits) - 1));
    }
    static const Entry* find(const Entry* set, const Key& key) {
        return set[0].key == key ? set : set[1].key == key ? set + 1 : nullptr;
    }
    static void keep(Entry* set, const Key& key, const u32* ids, u32 count) {
        if (count > kIds) return;
        set[1] = set[0];
        set[0].key = key;
        set[0].count = count;
        std::memcpy(set[0].ids, ids, count * sizeof(u32));
    }

    // The memory comes with the first use, and pages of it take memory when they are written; false: there is none.
    bool ready() { return !entries_.empty() || entries_.zeroed(2u << kSetBits); }

private:
    Buffer<Entry> entries_;
};

using ShortPieceCache = PieceCache<2, 3, 14>;  // half a cache line an entry, 1 MiB
using LongPieceCache = PieceCache<8, 15, 12>;  // two cache lines an entry, 1 MiB

}  // namespace crayon
