// Caches the ids of short pieces: one cache per encoder, in front of the lookup of whole tokens and of merging.
//
// Texts repeat themselves: in four megabytes of English one piece in twenty is new. A piece of up to fifteen bytes is
// its own key (its bytes, and its length in the last one), so a hit is exact; and the ids are those that the model
// returned, so the cache never changes a result. A hit copies one to three ids without branching on their number. That
// makes it faster than the tables of the cartridge: there is no branch that could be mispredicted.
#pragma once

#include <cstring>
#include <utility>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "platform/prefetch.h"
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

    // Half a cache line. All zero: empty.
    struct alignas(32) Entry {
        Key key;
        u32 ids[kMostIds];  // zero after the last
        u32 count;

        bool empty() const { return key.high == 0; }
    };

    // A table has 2^bits entries.
    static constexpr u32 kFewestBits = 11, kMoreBits = 16, kMostBits = 17;

    // What a lookup needs, for a loop to hold in registers; valid until the next `keep`.
    struct Table {
        const Entry* entries;
        u32 shift;

        // The slot of this hash, where its key most likely is.
        const Entry* slot(u64 hash) const { return entries + (hash >> shift); }
    };
    Table table() const { return {entries(), 64 - bits_}; }

    // The entry with this key, or nullptr. It is swapped into the hash's own slot, so that the pieces of the current
    // text are found at once, whatever was cached before them. An empty entry therefore does not end a search: an entry
    // that was swapped out of its slot may be further on.
    const Entry* find(const Key& key, u64 hash) {
        const u64 slot = hash >> (64 - bits_);
        Entry* const at_slot = entries() + slot;
        for (u32 i = 0; i < kNear; ++i) {
            Entry* const entry = entries() + (slot ^ i);
            if (entry->key == key) {
                if (i > 0) std::swap(*entry, *at_slot);
                return at_slot;
            }
        }
        return nullptr;
    }

    // Whether the entry that shares a cache line with the slot has this key; it is then swapped into the slot.
    bool is_beside(const Key& key, u64 hash) {
        const u64 slot = hash >> (64 - bits_);
        Entry* const beside = entries() + (slot ^ 1);
        if (!(beside->key == key)) return false;
        std::swap(*beside, entries()[slot]);
        return true;
    }
    // Prefetches what `find` reads beyond that.
    void prefetch(u64 hash) const {
        const u64 slot = hash >> (64 - bits_);
        for (u32 i = 2; i < kNear; i += 2) crayon::prefetch(entries() + (slot ^ i));
    }

    // Allocates the memory on the first use; false if there is none.
    bool ready() { return entries() || grow(kFewestBits); }

    // Caches the ids of a piece that is not there, unless they are more than kMostIds. A cache that is full and cannot
    // grow takes no more; when it has refused as many pieces as it holds, it is cleared: the text is of another kind.
    void keep(const Key& key, u64 hash, const u32* ids, u32 count) {
        if (count > kMostIds) return;
        if (is_full() && !evict()) return;
        Entry& entry = entry_for(hash);
        count_ += entry.empty();
        entry.key = key;
        for (u32 i = 0; i < kMostIds; ++i) entry.ids[i] = i < count ? ids[i] : 0;
        entry.count = count;
    }

    // Bytes of address space: at most kMostMemory.
    size_t memory() const { return memory_.size(); }
    static constexpr size_t kMostMemory = sizeof(Entry) << kMostBits;

private:
    static u64 word(const u8* p) {
        u64 bytes;
        std::memcpy(&bytes, p, 8);
        return bytes;
    }

    // A key is in one of the kNear entries around its slot, so no text makes a search long.
    static constexpr u32 kNear = 8;

    Entry* entries() const { return static_cast<Entry*>(memory_.data()); }

    // The first empty entry near the slot of a hash, or the slot itself.
    Entry& entry_for(u64 hash) {
        const u64 slot = hash >> (64 - bits_);
        for (u32 i = 0; i < kNear; ++i) {
            if (entries()[slot ^ i].empty()) return entries()[slot ^ i];
        }
        return entries()[slot];
    }

    // A key whose nearby entries are all taken replaces one of them. That is rare while the table is half full, and
    // happens to one key in seven at three quarters: as long as the cache may grow, it does so before that. In the
    // smallest table earlier: the thousand pieces of three digits would nearly fill half of it for ever, a fifth of them
    // with another one in their slot.
    bool is_full() const {
        const u64 eighths = bits_ == kMostBits ? 6 : bits_ == kFewestBits ? 3 : 4;
        return 8 * u64{count_} >= eighths << bits_;
    }

    bool evict() {
        if (bits_ < kMostBits && grow(bits_ < kMoreBits ? kMoreBits : kMostBits)) return true;
        if (++refused_ < count_) return false;
        std::memset(memory_.data(), 0, memory_.size());
        count_ = refused_ = 0;
        return true;
    }

    // Moves the entries to a table of 2^bits; false, and no change, if memory is short.
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
            Entry& entry = entry_for(hash_of(kept[i].key));
            count_ += entry.empty();
            entry = kept[i];
        }
        return true;
    }

    ZeroedPages memory_;
    u32 bits_ = 0, count_ = 0, refused_ = 0;
};

}  // namespace crayon
