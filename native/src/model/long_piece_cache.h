// Caches the ids of longer pieces, and of short ones with many ids: words of languages with several tokens per word, runs
// of Chinese, names.
//
// Pieces are appended as records, each with its ids, and an index finds them by hash; length and bytes are compared, so a
// hit is exact. Memory for records grows on demand, up to eight megabytes. A full cache that may not grow rejects new
// pieces; when it has rejected as many pieces as it holds, it is cleared: the kind of text has changed.
//
// Under a higher limit it keeps growing, by a factor of four, when that pays: when many of the rejected pieces have come
// again. When the limit stops growth, the records form a ring, and a piece that comes again replaces the oldest ones.
// Records found since the last lap are marked: they lose the mark and stay in place.
//
//      1            used_      tail_            end_        words_
//      | this lap    |  a gap    |  the last one  |  too short  |
#pragma once

#include <bit>
#include <cstring>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "model/recent_misses.h"
#include "platform/prefetch.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class LongPieceCache {
public:
    static constexpr u32 kLongestPiece = 255;
    // Beyond kNearWords. A WebAssembly module should stay small, and cannot give memory back.
    static constexpr bool kGrows = kPrefetches;
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
        u32 count;       // 0: the piece is not cached
        u32 record = 0;  // its record, for `at`
    };
    Found find(const u8* piece, u32 length) const { return find(piece, length, hash_of(piece, length)); }
    Found find(const u8* piece, u32 length, u64 hash) const {
        if (!slots()) return {nullptr, 0};
        if (u64* const record = record_of(slots(), shift_, piece, length, hash)) return found_at(record);
        return is_moving() ? find_before(piece, length, hash) : Found{nullptr, 0};
    }

    // Where the piece with a hash may be, and the head of its record. Slots and records are far apart in memory: looking up
    // several pieces together overlaps their cache misses.
    struct Location {
        u64 hash, head;
        u32 record;       // 0: none
        u64 version = 0;  // of the records: under another version, this index may be inside a record
    };
    // Fills in everything but the hashes.
    void locate(Location* locations, u32 count) const {
        for (u32 i = 0; i < count; ++i) {
            const u32 slot = slots() ? slots()[locations[i].hash >> shift_] : kEmpty;
            locations[i].record = (slot ^ tag(locations[i].hash)) < kMostWords ? slot & (kMostWords - 1) : 0;
            locations[i].version = version_;
        }
        for (u32 i = 0; i < count; ++i) locations[i].head = locations[i].record ? records()[locations[i].record] : 0;
    }
    Found find(const u8* piece, u32 length, const Location& location) const {
        u64* const record = records() + location.record;
        if (location.record != 0 && location.version == version_ && record[0] == location.head && same(record, piece, length)) {
            return found_at(record);
        }
        return find(piece, length, location.hash);
    }

    // A record stays in place as long as the version is unchanged. For a loop to hold in registers; valid until the next
    // `keep`.
    struct Records {
        const u64* records;
        u64 version;

        // length: the piece's length.
        const u32* ids_at(u32 record, u32 length) const {
            return reinterpret_cast<const u32*>(records + record + 1 + words_of(length));
        }
    };
    Records all() const { return {records(), version_}; }
    Found at(u32 record, u64 version) const { return version == version_ ? found_at(records() + record) : Found{nullptr, 0}; }

    // Prefetch the first read of `find`, and the one after it.
    void prefetch_slot(u64 hash) const { crayon::prefetch(slots() + (slots() ? hash >> shift_ : 0)); }
    void prefetch_record(u64 hash) const {
        if (slots()) crayon::prefetch(records() + (slots()[hash >> shift_] & (kMostWords - 1)));
    }

    // Sets the limit in bytes, counting both indexes during a move; at least the size for kLeastWords. A larger cache is freed.
    void set_limit(u64 bytes) {
        // Words of records, with one slot per four to eight words.
        const u64 words = bytes / (sizeof(u64) + 1);
        near_words_ = words < kLeastWords ? kLeastWords : words < kNearWords ? static_cast<u32>(words) : kNearWords;
        near_bits_ = std::bit_width(near_words_) - 3;
        const u64 more = bytes > kNotGrown ? (bytes - kNotGrown) / (sizeof(u64) + 1) : 0;
        most_words_ = !kGrows || more <= kNearWords ? near_words_ : more < kMostWords ? static_cast<u32>(more) : kMostWords - 1;
        const bool has_more = words_ > most_words_ || records_.size() > most_words_ * sizeof(u64);
        if (has_more || (tail_ != 0 && most_words_ == near_words_)) release();
        if (words_ < near_words_) words_ = near_words_;
    }
    // Forgets all pieces and frees the memory.
    void release() {
        ZeroedPages none[3];
        slots_.swap(none[0]);
        slots_before_.swap(none[1]);
        records_.swap(none[2]);
        again_.release();
        shift_ = shift_before_ = 64;
        used_ = 1;
        count_ = refused_ = tail_ = end_ = moved_ = 0;
        words_ = near_words_;
        ++version_;
    }

    // Caches the ids of a piece that is not cached, unless memory is short.
    void keep(const u8* piece, u32 length, const u32* ids, u32 count) {
        const u32 words = words_of(length), size = 1 + words + (count + 1) / 2;
        if (is_moving()) move_some();
        const bool is_full = is_ring() || used_ + size > words_;
        if (is_full && !evict(piece, length, size)) return;
        if (!is_ring() && !has_memory(size)) return;
        u64* const record = records() + used_;
        record[0] = length | u64{count} << 32;
        record[words] = 0;  // padding after the piece
        std::memcpy(record + 1, piece, length);
        std::memcpy(record + 1 + words, ids, count * sizeof(u32));
        put(used_);
        used_ += size;
    }

    // Bytes of address space, without reserved memory.
    size_t memory() const {
        if (!kGrows) return slots_.size() + records_.size();
        const size_t records = records_.size(), most = words_ * sizeof(u64);
        return slots_.size() + slots_before_.size() + again_.memory() + (records < most ? records : most);
    }
    // Their maximum without a higher limit.
    static constexpr size_t kMostMemory = size_t{9} << 20;

private:
    // A record: its head, with length, mark and number of ids; the piece in whole words (zero-padded); the ids. No record
    // is at 0. A record of length 0 is filler: its number of ids is its size in words, head included.
    // A slot: the index of a record, and above it some bits of its hash.
    static constexpr u32 kEmpty = 0, kGone = ~u32{0} << 24;  // kGone: no record, but there may be more after it
    static constexpr u32 kMarked = 0x100;
    static constexpr u32 kNear = 16;  // a key is in a slot of one cache line, so the search is always short
    static constexpr u32 kFewestBits = 11, kNearBits = 18;
    static constexpr u32 kLeastWords = 512, kFewestWords = 1 << 13, kNearWords = 1 << 20, kMostWords = 1 << 24, kGrowth = 3;

    bool is_ring() const { return kGrows && tail_ != 0; }

    u32* slots() const { return static_cast<u32*>(slots_.data()); }
    u64* records() const { return static_cast<u64*>(records_.data()); }

    static u32 words_of(u32 length) { return (length + 7) / 8; }
    static const u32* ids_of(const u64* record) {
        return reinterpret_cast<const u32*>(record + 1 + words_of(length_of(record[0])));
    }
    static u32 length_of(u64 head) { return static_cast<u8>(head); }
    static u32 size_of(u64 head) {
        const u32 length = length_of(head), count = static_cast<u32>(head >> 32);
        return length == 0 ? count : 1 + words_of(length) + (count + 1) / 2;
    }
    u64 hash_at(u32 record) const {
        const u64* const at = records() + record;
        return hash_of(reinterpret_cast<const u8*>(at + 1), length_of(at[0]));
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
        if (length_of(record[0]) != length) return false;
        const u32 words = words_of(length);
        u64 difference = 0;
        for (u32 i = 0; i + 1 < words; ++i) difference |= record[1 + i] ^ word(piece + 8 * i);
        return (difference | (record[words] ^ last_word(piece, length))) == 0;
    }

    u64* record_of(const u32* slots, u32 shift, const u8* piece, u32 length, u64 hash) const {
        const u64 first = hash >> shift;
        for (u32 i = 0; i < kNear; ++i) {
            const u32 slot = slots[first ^ i];
            if (slot == kEmpty) break;
            if ((slot ^ tag(hash)) > kMostWords - 1) continue;
            u64* const record = records() + (slot & (kMostWords - 1));
            if (same(record, piece, length)) return record;
        }
        return nullptr;
    }
    Found found_at(u64* record) const {
        if (is_ring() && (record[0] & kMarked) == 0) record[0] |= kMarked;
        return {ids_of(record), static_cast<u32>(record[0] >> 32), static_cast<u32>(record - records())};
    }

    void put(u32 record) {
        const u64 hash = hash_at(record), first = hash >> shift_;
        u32 i = 0;
        while (i < kNear && (slots()[first ^ i] & (kMostWords - 1)) != 0) ++i;
        slots()[i < kNear ? first ^ i : first] = tag(hash) | record;
        ++count_;
    }

    // Makes room for one more record in a full cache; false: the piece is not kept.
    bool evict(const u8* piece, u32 length, u32 size) {
        if (kGrows && most_words_ > near_words_) return replace_if_known(hash_of(piece, length), size);
        if (++refused_ < count_) return false;
        std::memset(slots_.data(), 0, slots_.size());
        used_ = 1;
        count_ = refused_ = 0;
        ++version_;
        return used_ + size <= words_;
    }

    // Allocates memory for one more record of `size` words, and its slot.
    bool has_memory(u32 size) {
        if ((used_ + size) * sizeof(u64) > records_.size() && !grow_records()) return false;
        const size_t slot_count = slots_.size() / sizeof(u32);
        return 2 * count_ < slot_count || slot_count >> near_bits_ != 0 || grow_slots();
    }

    bool grow_records() {
        const size_t before = records_.size(), most = near_words_ * sizeof(u64);
        const size_t more = before == 0 ? kFewestWords * sizeof(u64) : before << kGrowth;
        // After the first megabytes, reserves the maximum at once, so that nothing must be copied again.
        if (kGrows && more > kReservedFrom && resize_records(most_words_ * sizeof(u64))) return true;
        return resize_records(more < most ? more : most);
    }
    bool resize_records(size_t bytes) {
        ZeroedPages more;
        if (!more.make(bytes)) return false;
        if (records_.size() > 0) std::memcpy(more.data(), records_.data(), used_ * sizeof(u64));
        records_.swap(more);
        return true;
    }

    bool grow_slots() {
        const u32 more = shift_ == 64 ? kFewestBits : 64 - shift_ + kGrowth;
        const u32 bits = more < near_bits_ ? more : near_bits_;
        if (!slots_.make(sizeof(u32) << bits)) return false;
        shift_ = 64 - bits;
        count_ = 0;
        for (u32 record = 1; record < used_; record += size_of(records()[record])) put(record);
        return true;
    }

    // --- beyond kNearWords ---

    static constexpr size_t kReservedFrom = size_t{1} << 20;
    static constexpr size_t kNotGrown = size_t{3} << 19;  // bytes of the index before a move, and of recent misses
    static constexpr u32 kFarGrowth = 4;
    static constexpr u32 kNotedBits = 18;
    // Growing costs about as much as making one piece per this many words.
    static constexpr u32 kWordsForOne = 256;
    static constexpr u32 kMovedAtOnce = 64;  // slots: a few microseconds
    static constexpr u32 kMostVisited = 64;  // records

    bool is_moving() const { return kGrows && slots_before_.size() > 0; }
    u32* slots_before() const { return static_cast<u32*>(slots_before_.data()); }

    [[gnu::noinline]] bool replace_if_known(u64 hash, u32 size) {
        if (!again_.knows(hash, kNotedBits)) return false;
        if (words_ < most_words_ && !is_moving() && again_.known() >= words_ / kWordsForOne) {
            again_.count_anew();
            if (has_grown()) return true;
        }
        return turn(size);
    }

    // False, without changes, if memory is short.
    bool has_grown() {
        const u32 more = most_words_ / kFarGrowth < words_ ? most_words_ : kFarGrowth * words_;
        if (tail_ != 0) fill_gap();
        used_ = tail_ != 0 ? end_ : used_;
        tail_ = 0;
        if (records_.size() < most_words_ * sizeof(u64) && !resize_records(most_words_ * sizeof(u64))) return false;
        const u32 bits = std::bit_width(most_words_) - 3;
        if (64 - shift_ < bits) {
            ZeroedPages larger;
            if (!larger.make(sizeof(u32) << bits)) return false;
            slots_before_.swap(slots_);
            slots_.swap(larger);
            shift_before_ = shift_;
            shift_ = 64 - bits;
            count_ = moved_ = 0;
        }
        words_ = more;
        return true;
    }

    // Frees `size` words in the ring, one record after another; false if it meets too many marked records.
    bool turn(u32 size) {
        if (tail_ == 0) {
            end_ = used_;
            used_ = tail_ = 1;
        }
        ++version_;
        for (u32 i = 0; i < kMostVisited; ++i) {
            if (used_ + size <= tail_) return true;
            if (tail_ == end_) {
                fill_gap();
                used_ = tail_ = 1;
                continue;
            }
            u64& head = records()[tail_];
            const u32 words = size_of(head);
            if (head & kMarked) {
                head &= ~u64{kMarked};
                fill_gap();
                used_ = tail_ + words;
            } else if (length_of(head) != 0) {
                forget(tail_);
            }
            tail_ += words;
        }
        return false;
    }
    void fill_gap() {
        if (used_ < tail_) records()[used_] = u64{tail_ - used_} << 32;
    }
    void forget(u32 record) {
        const u64 hash = hash_at(record);
        const u32 slot = tag(hash) | record;
        for (u32 i = 0; i < kNear; ++i) {
            u32* const at = slots() + (hash >> shift_ ^ i);
            u32* const before = is_moving() ? slots_before() + (hash >> shift_before_ ^ i) : at;
            if (*before == slot) *before = kGone;
            if (*at == slot) *at = kGone;
        }
    }

    [[gnu::noinline]] Found find_before(const u8* piece, u32 length, u64 hash) const {
        u64* const record = record_of(slots_before(), shift_before_, piece, length, hash);
        return record ? found_at(record) : Found{nullptr, 0};
    }
    [[gnu::noinline]] void move_some() {
        u32* const from = slots_before() + moved_;
        for (u32 i = 0; i < kMovedAtOnce; ++i) crayon::prefetch(records() + (from[i] & (kMostWords - 1)));
        for (u32 i = 0; i < kMovedAtOnce; ++i) {
            const u32 record = from[i] & (kMostWords - 1);
            if (record != 0) put(record);
            from[i] = kGone;
        }
        moved_ += kMovedAtOnce;
        if (moved_ * sizeof(u32) < slots_before_.size()) return;
        ZeroedPages none;
        slots_before_.swap(none);
    }

    ZeroedPages slots_, slots_before_, records_;  // the second: the index that slots are moving from
    RecentMisses again_;
    u32 shift_ = 64, shift_before_ = 64;
    u32 used_ = 1, tail_ = 0, end_ = 0;  // see above; tail_ is 0 before the first lap ends
    u32 count_ = 0, refused_ = 0, moved_ = 0;
    u32 words_ = kNearWords, near_words_ = kNearWords, most_words_ = kNearWords;  // words of records: the current limit, and
                                                                                  // the highest possible
    u32 near_bits_ = kNearBits;                                                   // of the index
    u64 version_ = 0;
};

}  // namespace crayon
