// Caches the ids of short pieces: one cache per encoder, in front of the lookup of whole tokens and of merging.
//
// Texts repeat themselves: in four megabytes of English one piece in twenty is new. A piece of up to fifteen bytes is its
// own key (its bytes, and its length in the last one), so a hit is exact; and the ids are the model's, so the cache never
// changes a result. A hit copies one to three ids without branching on their number, so no branch can be mispredicted: that
// makes it faster than the cartridge's tables. A piece with more ids, once it has come again, gets an entry that refers to
// the cache of long pieces: small vocabularies, such as GPT-2's on code and most languages, have many of these.
//
// The table grows as it fills, up to kMostMemory. Under a higher limit it keeps growing, by a factor of four, when that
// pays: when many of the rejected pieces have come again. Entries then move to the larger table a few at a time, with every
// piece that is kept, and at once when looked up. When the limit stops growth, a piece that comes again replaces one that
// has not been found lately.
#pragma once

#include <cstring>
#include <utility>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "model/recent_misses.h"
#include "platform/prefetch.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class ShortPieceCache {
public:
    static constexpr u32 kLongestPiece = 15, kMostIds = 3;

    struct Key {
        u64 low, high;

        u32 length() const { return static_cast<u32>(high >> 56); }
        bool operator==(const Key& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
    };
    // length 1 … kLongestPiece; sixteen bytes must be readable at `piece`.
    static Key key_of(const u8* piece, u32 length) {
        static constexpr u8 kMasks[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
        const u8* const masks = kMasks + 16 - length;
        return {word(piece) & word(masks), (word(piece + 8) & word(masks + 8)) | u64{length} << 56};
    }

    static u64 hash_of(const Key& key) {
        const u64 hash = key.low * layout::kMixA ^ key.high * layout::kMixB;
        return (hash ^ hash >> 32) * layout::kMixA;
    }

    // Marks the count of a reference: so large that a loop adding up counts ends there as if out of room, without a
    // separate check.
    static constexpr u32 kMore = u32{1} << 31;
    // Browser modules are small and have no references.
    static constexpr bool kRefers = kPrefetches;

    // Half a cache line. All zero: empty.
    struct alignas(32) Entry {
        Key key;
        u32 ids[kMostIds];  // zero-padded
        u32 count;          // with kMore: see is_reference

        bool empty() const { return key.high == 0; }
        // Whether the piece has more ids than fit. In their place are a record of LongPieceCache, and its version.
        bool is_reference() const { return kRefers && (count & kMore) != 0; }
        u32 referred() const { return count & ~kMore; }
        u32 record() const { return ids[0]; }
        u64 version() const { return ids[1] | u64{ids[2]} << 32; }
    };

    // A table has 2^bits entries: up to kMostBits as it fills, up to kFarBits where that pays.
    static constexpr u32 kLeastBits = 8, kFewestBits = 11, kMoreBits = 16, kMostBits = 17, kFarBits = 22;
    // Beyond kMostBits. A WebAssembly module should stay small, and cannot give memory back.
    static constexpr bool kGrows = kPrefetches;

    // The state of a lookup, for a loop to hold in registers; valid until the next `keep`.
    struct Table {
        const Entry* entries;
        u32 shift;

        // The slot of this hash, the most likely place of its key.
        const Entry* slot(u64 hash) const { return entries + (hash >> shift); }
    };
    Table table() const { return {entries(), 64 - bits_}; }

    // The entry with this key, or nullptr. It is swapped into the hash's own slot, so that the pieces of the current text
    // are found at once, even in a cache filled by others. An empty entry therefore does not end a search: an entry that
    // was swapped out of its slot may be further on.
    Entry* find(const Key& key, u64 hash) {
        const u64 slot = hash >> (64 - bits_);
        Entry* const at_slot = entries() + slot;
        for (u32 i = 0; i < kNear; ++i) {
            Entry* const entry = entries() + (slot ^ i);
            if (entry->key == key) {
                if (i > 0) std::swap(*entry, *at_slot);
                return at_slot;
            }
        }
        return is_moving() ? find_before(key, hash) : nullptr;
    }

    // Whether the entry that shares a cache line with the slot has this key; if so, it is swapped into the slot.
    bool is_beside(const Key& key, u64 hash) {
        const u64 slot = hash >> (64 - bits_);
        Entry* const beside = entries() + (slot ^ 1);
        if (!(beside->key == key)) return false;
        std::swap(*beside, entries()[slot]);
        return true;
    }
    // Prefetches the memory that `find` reads beyond that.
    void prefetch(u64 hash) const {
        const u64 slot = hash >> (64 - bits_);
        for (u32 i = 2; i < kNear; i += 2) crayon::prefetch(entries() + (slot ^ i));
    }

    // Allocates the memory on first use; false if memory is short.
    bool ready() { return entries() || grow(kFewestBits < near_bits_ ? kFewestBits : near_bits_); }

    // Sets the limit in bytes, counting both tables during a move; at least the size of 2^kLeastBits entries. A larger
    // table is freed.
    void set_limit(u64 bytes) {
        near_bits_ = kLeastBits;
        while (near_bits_ < kMostBits && sizeof(Entry) << (near_bits_ + 1) <= bytes) ++near_bits_;
        most_bits_ = near_bits_;
        while (kGrows && most_bits_ < kFarBits && (sizeof(Entry) << most_bits_) * 3 <= bytes) ++most_bits_;
        if (near_bits_ < kMostBits) most_bits_ = near_bits_;
        if (bits_ > most_bits_) release();
    }
    // Forgets all pieces and frees the memory.
    void release() {
        ZeroedPages none[2];
        memory_.swap(none[0]);
        before_.swap(none[1]);
        again_.release();
        bits_ = before_bits_ = count_ = refused_ = moved_ = 0;
    }

    // Caches the ids of a piece that is not cached, unless there are more than kMostIds. A full cache that may not grow
    // rejects new pieces; when it has rejected as many pieces as it holds, it is cleared: the kind of text has changed. For
    // one that may grow, see above.
    void keep(const Key& key, u64 hash, const u32* ids, u32 count) {
        if (count > kMostIds) return;
        if (is_moving()) move_some();
        if (is_full() && !evict(hash)) return;
        Entry& entry = entry_for(hash);
        count_ += entry.empty();
        entry.key = key;
        for (u32 i = 0; i < kMostIds; ++i) entry.ids[i] = i < count ? ids[i] : 0;
        entry.count = count;
    }

    // Records the location of the `count` ids of a piece with more than kMostIds; not if the table is full and cannot grow,
    // as that would count as a rejection.
    void refer(const Key& key, u64 hash, u32 record, u64 version, u32 count) {
        if (!kRefers || count <= kMostIds) return;
        Entry* entry = find(key, hash);
        if (!entry) {
            if (is_moving()) move_some();
            if (is_full() && ((bits_ >= near_bits_ && !may_grow()) || !evict(hash))) return;
            entry = &entry_for(hash);
            count_ += entry->empty();
        }
        *entry = {key, {record, static_cast<u32>(version), static_cast<u32>(version >> 32)}, kMore | count};
    }

    // Bytes of address space.
    size_t memory() const { return memory_.size() + (kGrows ? before_.size() + again_.memory() : 0); }
    // Their maximum without a higher limit.
    static constexpr size_t kMostMemory = sizeof(Entry) << kMostBits;

private:
    static u64 word(const u8* p) {
        u64 bytes;
        std::memcpy(&bytes, p, 8);
        return bytes;
    }

    // A key is in one of the kNear entries around its slot, so the search is always short.
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

    // A key whose nearby entries are all taken replaces one of them. That is rare while the table is half full, and happens
    // to one key in seven at three quarters: as long as the cache can grow, it grows before that. The smallest table grows
    // earlier: the thousand three-digit pieces would keep nearly half of it full, and displace a fifth of them from their
    // slots.
    bool is_full() const {
        const u64 eighths = bits_ >= near_bits_ ? 6 : bits_ == kFewestBits ? 3 : 4;
        return 8 * u64{count_} >= eighths << bits_;
    }

    // Makes room for a new piece in a full table; false: it is not kept.
    bool evict(u64 hash) {
        if (bits_ < near_bits_) {
            const u32 bits = bits_ < kMoreBits ? kMoreBits : kMostBits;
            if (grow(bits < near_bits_ ? bits : near_bits_)) return true;
        }
        if (may_grow()) return evict_if_known(hash);
        if (++refused_ < count_) return false;
        std::memset(memory_.data(), 0, memory_.size());
        count_ = refused_ = 0;
        return true;
    }

    // --- beyond kMostBits ---

    static constexpr u32 kFarGrowth = 2;     // bits
    static constexpr u32 kMovedAtOnce = 32;  // entries: a few microseconds
    // Growing costs about as much as making one piece per sixteen entries.
    static constexpr u32 kWorthwhile = 4;  // bits

    bool may_grow() const { return kGrows && most_bits_ > near_bits_; }
    bool is_moving() const { return kGrows && before_.size() > 0; }
    Entry* before() const { return static_cast<Entry*>(before_.data()); }

    [[gnu::noinline]] bool evict_if_known(u64 hash) {
        if (!again_.knows(hash, bits_)) return false;
        if (bits_ < most_bits_ && !is_moving() && again_.known() >> (bits_ - kWorthwhile) != 0) {
            again_.count_anew();
            if (begin_to_move(bits_ + kFarGrowth < most_bits_ ? bits_ + kFarGrowth : most_bits_)) return true;
        }
        Entry& entry = entry_to_replace(hash);
        count_ -= !entry.empty();
        entry = {};
        return true;
    }

    // An empty entry near the slot, or one that is not in its own slot: others have been found there since. If all are in
    // their own slots, any.
    Entry& entry_to_replace(u64 hash) {
        const u64 slot = hash >> (64 - bits_), first = hash >> 8;
        for (u32 i = 0; i < kNear; ++i) {
            const u64 at = slot ^ (first + i) % kNear;
            const Entry& entry = entries()[at];
            if (entry.empty() || hash_of(entry.key) >> (64 - bits_) != at) return entries()[at];
        }
        return entries()[slot ^ first % kNear];
    }

    // False, without changes, if memory is short.
    bool begin_to_move(u32 bits) {
        ZeroedPages larger;
        if (!larger.make(sizeof(Entry) << bits)) return false;
        before_.swap(memory_);
        memory_.swap(larger);
        before_bits_ = bits_;
        bits_ = bits;
        count_ = moved_ = 0;
        again_.release();
        return true;
    }
    Entry& move(Entry& entry) {
        Entry& to = entry_for(hash_of(entry.key));
        count_ += to.empty();
        to = entry;
        entry = {};
        return to;
    }
    [[gnu::noinline]] void move_some() {
        for (u32 i = 0; i < kMovedAtOnce; ++i, ++moved_) {
            if (!before()[moved_].empty()) move(before()[moved_]);
        }
        if (moved_ >> before_bits_ == 0) return;
        ZeroedPages none;
        before_.swap(none);
    }
    // Finds the entry of a piece that has not moved yet, and moves it to its own slot.
    [[gnu::noinline]] Entry* find_before(const Key& key, u64 hash) {
        const u64 slot = hash >> (64 - before_bits_);
        for (u32 i = 0; i < kNear; ++i) {
            Entry& entry = before()[slot ^ i];
            if (!(entry.key == key)) continue;
            Entry& moved = move(entry);
            Entry& at_slot = entries()[hash >> (64 - bits_)];
            if (&moved != &at_slot) std::swap(moved, at_slot);
            return &at_slot;
        }
        return nullptr;
    }

    // --- up to kMostBits ---

    // Moves the entries to a table of 2^bits; false, without changes, if memory is short.
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

    ZeroedPages memory_, before_;  // the second: the table that entries are moving from
    RecentMisses again_;
    u32 bits_ = 0, near_bits_ = kMostBits, most_bits_ = kMostBits, count_ = 0, refused_ = 0;
    u32 before_bits_ = 0, moved_ = 0;  // entries
};

}  // namespace crayon
