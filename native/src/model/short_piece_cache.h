// What short pieces gave the last time: one for each encoder, in front of the lookup of whole tokens and of merging.
//
// A text repeats itself: in four megabytes of English one piece of twenty is new. A piece of up to fifteen bytes is its
// own key (its bytes, and its length in the last one), so a hit is exact; and what is kept is what the model answered, so
// the cache never changes a result. A hit gives one to three ids without asking how many, which is what makes it quicker
// than the tables of the cartridge: nothing about the next piece is left to guess.
#pragma once

#include <cstring>
#include <utility>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class ShortPieceCache {
public:
    static constexpr u32 kLongestPiece = 15, kMostIds = 3;

    struct Key {
        u64 low, high;

        bool operator==(const Key& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
    };
    // length 1 … kLongestPiece; sixteen bytes are readable at `piece`.
    static Key key_of(const u8* piece, u32 length) {
        static constexpr u8 kMasks[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
        const u8* const masks = kMasks + 16 - length;
        return {word(piece) & word(masks), (word(piece + 8) & word(masks + 8)) | u64{length} << 56};
    }

    static u64 hash_of(const Key& key) {
        const u64 hash = key.low * layout::kMixA ^ key.high * layout::kMixB;
        return (hash ^ hash >> 32) * layout::kMixA;
    }

    // Half a cache line. All zero: of no piece.
    struct alignas(32) Entry {
        Key key;
        u32 ids[kMostIds];  // zero behind the last
        u32 count;

        bool empty() const { return key.high == 0; }
    };

    // Where to look, for a loop to hold: until the next `keep`.
    struct Table {
        const Entry* entries;
        u32 shift;

        // The entry that most likely has the key with this hash.
        const Entry* home(u64 hash) const { return entries + (hash >> shift); }
    };
    Table table() const { return {entries(), 64 - bits_}; }

    // The entry that has a key with this hash, or nullptr. It goes to its home, and what was there takes its place: the
    // pieces of the text at hand are found at once, whatever was here before them. So an empty entry ends no search: what
    // had to leave its home may lie behind one.
    const Entry* find(const Key& key, u64 hash) {
        const u64 home = hash >> (64 - bits_);
        Entry* const at_home = entries() + home;
        for (u32 i = 0; i < kNear; ++i) {
            Entry* const entry = entries() + (home ^ i);
            if (entry->key == key) {
                if (i > 0) std::swap(*entry, *at_home);
                return at_home;
            }
        }
        return nullptr;
    }

    // The memory comes with the first use; false: there is none.
    bool ready() { return entries() || grow(kFewestBits); }

    // Keeps the ids of a piece that is not there; more than kMostIds are not kept. At its largest and full, the cache takes
    // no more; and when it has refused as many as it holds, it begins anew: the text is of another kind.
    void keep(const Key& key, u64 hash, const u32* ids, u32 count) {
        if (count > kMostIds) return;
        if (is_full() && !make_room()) return;
        Entry& entry = place(hash);
        count_ += entry.empty();
        entry.key = key;
        for (u32 i = 0; i < kMostIds; ++i) entry.ids[i] = i < count ? ids[i] : 0;
        entry.count = count;
    }

    // Bytes of address space: at most 4 MiB.
    size_t memory() const { return memory_.size(); }

private:
    static u64 word(const u8* p) {
        u64 bytes;
        std::memcpy(&bytes, p, 8);
        return bytes;
    }

    // A key is in one of the kNear entries about its home, so no text makes a search long.
    static constexpr u32 kNear = 8, kFewestBits = 11, kMoreBits = 16, kMostBits = 17;

    Entry* entries() const { return static_cast<Entry*>(memory_.data()); }

    // The first empty entry near the home of a key, or the home.
    Entry& place(u64 hash) {
        const u64 home = hash >> (64 - bits_);
        for (u32 i = 0; i < kNear; ++i) {
            if (entries()[home ^ i].empty()) return entries()[home ^ i];
        }
        return entries()[home];
    }

    // A key whose near entries are all taken drives another one out. That is rare up to half of all entries, and at three
    // quarters it is one key of seven: as long as the cache may grow, it does before that.
    bool is_full() const { return 4 * u64{count_} >= u64{bits_ < kMostBits ? 2u : 3u} << bits_; }

    bool make_room() {
        if (bits_ < kMostBits && grow(bits_ < kMoreBits ? kMoreBits : kMostBits)) return true;
        if (++refused_ < count_) return false;
        std::memset(memory_.data(), 0, memory_.size());
        count_ = refused_ = 0;
        return true;
    }

    // A table of 2^bits entries with what is in this one; false, and no change, if memory is short.
    bool grow(u32 bits) {
        ZeroedPages before;
        before.swap(memory_);
        if (!memory_.make(sizeof(Entry) << bits)) {
            memory_.swap(before);
            return false;
        }
        bits_ = bits;
        count_ = 0;
        const Entry* const kept = static_cast<const Entry*>(before.data());
        for (size_t i = 0; i < before.size() / sizeof(Entry); ++i) {
            if (kept[i].empty()) continue;
            Entry& entry = place(hash_of(kept[i].key));
            count_ += entry.empty();
            entry = kept[i];
        }
        return true;
    }

    ZeroedPages memory_;
    u32 bits_ = 0, count_ = 0, refused_ = 0;
};

}  // namespace crayon
