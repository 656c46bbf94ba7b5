// Caches the ids of longer pieces, and of short ones with many ids: words of languages with several tokens per word,
// runs of Chinese, names.
//
// Pieces are appended as records, each with its ids, and an index finds them by a hash; length and bytes are compared,
// so a hit is exact. A cache that is full and cannot grow takes no more; when it has refused as many pieces as it
// holds, it is cleared: the text is of another kind.
#pragma once

#include <cstring>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "platform/prefetch.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class LongPieceCache {
public:
    static constexpr u32 kLongestPiece = 255;
    // Bytes that must be readable after a piece.
    static constexpr size_t kPadding = 7;

    // length 1 … kLongestPiece.
    static u64 hash_of(const u8* piece, u32 length) {
        u64 state = layout::hash_start(length, 0);
        for (u32 i = 0; i + 8 < length; i += 8) state = layout::hash_next(state, word(piece + i));
        return layout::hash_next(state, last_word(piece, length)) * layout::kMixD;
    }

    struct Found {
        const u32* ids;
        u32 count;  // 0: the piece is not there
    };
    Found find(const u8* piece, u32 length) const { return find(piece, length, hash_of(piece, length)); }
    Found find(const u8* piece, u32 length, u64 hash) const {
        if (!slots()) return {nullptr, 0};
        const u64 first = hash >> shift_;
        for (u32 i = 0; i < kNear; ++i) {
            const u32 slot = slots()[first ^ i];
            if (slot == kEmpty) break;
            if ((slot ^ tag(hash)) > kMostWords - 1) continue;
            const u64* const record = records() + (slot & (kMostWords - 1));
            if (same(record, piece, length)) return {ids_of(record), static_cast<u32>(record[0] >> 32)};
        }
        return {nullptr, 0};
    }

    // Where the piece with a hash may be, and the head of the record there. Slots and records are far apart in memory:
    // looking up several pieces together overlaps their cache misses.
    struct Location {
        u64 hash, head;
        u32 record;  // 0: none
    };
    // Fills in all but the hashes.
    void locate(Location* locations, u32 count) const {
        for (u32 i = 0; i < count; ++i) {
            const u32 slot = slots() ? slots()[locations[i].hash >> shift_] : kEmpty;
            locations[i].record = (slot ^ tag(locations[i].hash)) < kMostWords ? slot & (kMostWords - 1) : 0;
        }
        for (u32 i = 0; i < count; ++i) locations[i].head = locations[i].record ? records()[locations[i].record] : 0;
    }
    Found find(const u8* piece, u32 length, const Location& location) const {
        const u64* const record = records() + location.record;
        if (location.record != 0 && record[0] == location.head && same(record, piece, length)) {
            return {ids_of(record), static_cast<u32>(location.head >> 32)};
        }
        return find(piece, length, location.hash);
    }

    // Prefetch what `find` reads first, and what it reads after that.
    void prefetch_slot(u64 hash) const { crayon::prefetch(slots() + (slots() ? hash >> shift_ : 0)); }
    void prefetch_record(u64 hash) const {
        if (slots()) crayon::prefetch(records() + (slots()[hash >> shift_] & (kMostWords - 1)));
    }

    // Caches the ids of a piece that is not there, unless memory is short.
    void keep(const u8* piece, u32 length, const u32* ids, u32 count) {
        const u32 words = words_of(length), size = 1 + words + (count + 1) / 2;
        if (!evict(size)) return;
        u64* const record = records() + used_;
        record[0] = length | u64{count} << 32;
        record[words] = 0;  // padding after the piece
        std::memcpy(record + 1, piece, length);
        std::memcpy(record + 1 + words, ids, count * sizeof(u32));
        put(used_);
        used_ += size;
    }

    // Bytes of address space: at most 9 MiB.
    size_t memory() const { return slots_.size() + records_.size(); }

private:
    // A record: length and number of ids, the piece in whole words (zero-padded), the ids. No record is at 0.
    // A slot: the index of a record, and above that some bits of its hash.
    static constexpr u32 kEmpty = 0;
    static constexpr u32 kNear = 16;  // a key is in a slot of one cache line: no text makes a search long
    static constexpr u32 kFewestBits = 11, kMostBits = 18;
    static constexpr u32 kFewestWords = 1 << 13, kMostWords = 1 << 20, kGrowth = 3;

    u32* slots() const { return static_cast<u32*>(slots_.data()); }
    u64* records() const { return static_cast<u64*>(records_.data()); }

    static u32 words_of(u32 length) { return (length + 7) / 8; }
    static const u32* ids_of(const u64* record) {
        return reinterpret_cast<const u32*>(record + 1 + words_of(static_cast<u32>(record[0])));
    }
    static u64 word(const u8* piece) {
        u64 bytes;
        std::memcpy(&bytes, piece, 8);
        return bytes;
    }
    static u64 last_word(const u8* piece, u32 length) {
        const u32 before = (length - 1) & ~7u;
        return word(piece + before) & ~u64{0} >> (64 - 8 * (length - before));
    }

    static u32 tag(u64 hash) { return static_cast<u32>(hash) & ~(kMostWords - 1); }
    static bool same(const u64* record, const u8* piece, u32 length) {
        if (static_cast<u32>(record[0]) != length) return false;
        const u32 words = words_of(length);
        u64 difference = 0;
        for (u32 i = 0; i + 1 < words; ++i) difference |= record[1 + i] ^ word(piece + 8 * i);
        return (difference | (record[words] ^ last_word(piece, length))) == 0;
    }

    void put(u32 record) {
        const u64* const at = records() + record;
        const u64 hash = hash_of(reinterpret_cast<const u8*>(at + 1), static_cast<u32>(at[0])), first = hash >> shift_;
        u32 i = 0;
        while (i < kNear && slots()[first ^ i] != kEmpty) ++i;
        slots()[i < kNear ? first ^ i : first] = tag(hash) | record;
        ++count_;
    }

    // Room for one more piece, whose record has `size` words.
    bool evict(u32 size) {
        if (used_ + size > kMostWords) {
            if (++refused_ < count_) return false;
            std::memset(slots_.data(), 0, slots_.size());
            used_ = 1;
            count_ = refused_ = 0;
        }
        if ((used_ + size) * sizeof(u64) > records_.size() && !grow_records()) return false;
        const size_t slot_count = slots_.size() / sizeof(u32);
        return 2 * count_ < slot_count || slot_count >> kMostBits != 0 || grow_slots();
    }

    bool grow_records() {
        ZeroedPages before;
        before.swap(records_);
        const size_t more = before.size() << kGrowth, most = kMostWords * sizeof(u64);
        if (!records_.make(more == 0 ? kFewestWords * sizeof(u64) : more < most ? more : most)) {
            records_.swap(before);
            return false;
        }
        if (before.size() > 0) std::memcpy(records_.data(), before.data(), used_ * sizeof(u64));
        return true;
    }

    bool grow_slots() {
        const u32 more = shift_ == 64 ? kFewestBits : 64 - shift_ + kGrowth;
        const u32 bits = more < kMostBits ? more : kMostBits;
        if (!slots_.make(sizeof(u32) << bits)) return false;
        shift_ = 64 - bits;
        count_ = 0;
        for (u32 record = 1; record < used_;) {
            put(record);
            const u64 head = records()[record];
            record += 1 + words_of(static_cast<u32>(head)) + ((head >> 32) + 1) / 2;
        }
        return true;
    }

    ZeroedPages slots_, records_;
    u32 shift_ = 64, used_ = 1, count_ = 0, refused_ = 0;
};

}  // namespace crayon
