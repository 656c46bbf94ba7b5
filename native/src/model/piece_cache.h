// The ids of pieces that had to be merged before: a direct-mapped table behind the lookup of whole tokens, one for each
// encoder.
//
// Pieces that are tokens never come here: the cartridge finds them in one probe. The others are few in a text but slow,
// and they come again. A piece of up to 23 bytes is its own key (its bytes, and its length in the last byte), so a hit
// is exact; what is kept is what the model answered, so the cache never changes a result. An entry is half a cache
// line: three words of key, and two or three ids of 21 bits in the fourth.
#pragma once

#include <cstring>

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/bpe.h"
#include "crayon/layout/perfect_hash.h"

namespace crayon {

class PieceCache {
public:
    static constexpr u32 kLongestPiece = 23;

    struct Key {
        u64 words[3];
    };
    // length 1 … kLongestPiece; 24 bytes are readable at `piece`.
    static Key key_of(const u8* piece, u32 length) {
        Key key;
        std::memcpy(&key, piece, sizeof key);
        for (u32 i = 0; i < 3; ++i) {
            const u32 bytes = length > 8 * i ? length - 8 * i : 0;  // of this word
            const u64 whole = bytes >= 8 ? ~u64{0} : 0;
            key.words[i] &= whole | ((u64{1} << (8 * bytes & 63)) - 1);
        }
        key.words[2] |= u64{length} << 56;
        return key;
    }

    class Entry {
    public:
        bool holds(const Key& other) const {
            return ((key_.words[0] ^ other.words[0]) | (key_.words[1] ^ other.words[1]) |
                    (key_.words[2] ^ other.words[2])) == 0;
        }
        // Two or three.
        u32 count() const { return 2 + (ids_ >> (2 * kBits) != kNoThird); }
        // Writes the ids; `out` has room for three.
        void take(u32* out) const {
            out[0] = static_cast<u32>(ids_) & kNoThird;
            out[1] = static_cast<u32>(ids_ >> kBits) & kNoThird;
            out[2] = static_cast<u32>(ids_ >> (2 * kBits));
        }
        // Keeps the ids if they are two or three.
        void keep(const Key& key, const u32* ids, u32 id_count) {
            if (id_count != 2 && id_count != 3) return;
            key_ = key;
            ids_ = ids[0] | u64{ids[1]} << kBits | u64{id_count == 3 ? ids[2] : kNoThird} << (2 * kBits);
        }

    private:
        static constexpr u32 kBits = layout::kPairIdBits;
        static constexpr u32 kNoThird = layout::kMaxBpeTokens;  // no id is so great

        Key key_;  // all zero: of no piece
        u64 ids_;
    };
    static_assert(sizeof(Entry) == 32);

    // The memory comes with the first use; if there is none, the cache is not to be used.
    bool ready() { return !entries_.empty() || entries_.zeroed(kEntries); }
    Entry& at(const Key& key) {
        return entries_[layout::hash_words(key.words[0], key.words[1], key.words[2], 0, 0) >> (64 - kEntryBits)];
    }

private:
    static constexpr u32 kEntryBits = 14;  // 512 KiB, of which only the pages used take memory
    static constexpr u32 kEntries = 1u << kEntryBits;

    Buffer<Entry> entries_;
};

}  // namespace crayon
