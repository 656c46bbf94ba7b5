// Remembers the ids of pieces: one memory per encoder, in front of the lookup of whole tokens and of merging.
//
// Texts repeat themselves: in four megabytes of English one piece in twenty is new. A hit is exact and the ids are the
// model's, so the memory never changes a result.
//
// A table of entries, two in a cache line. A piece of up to fifteen bytes is its own key; up to four ids are in the entry, and
// a hit copies all four without branching on their number. More ids, and longer pieces, whose key is a hash, have a *record*
// outside the table: the bytes of a longer piece, to be compared, and the ids. Records fill chunks, one after the other; once
// the chunks may take no more memory, the oldest one is filled anew. An entry knows the number of its chunk, and so whether its
// record still is what it was.
//
// A set is two lines. Each is home to the pieces whose hash selects it, and lends its room to the other:
//
//   the home of a piece              the other line
//   | first | second |               | first | second |
//
// A new piece becomes the second of its home, and the one before it takes the second place of the other line. Where a piece is
// found there, it becomes the first of its home. So pieces that never come again pass through the second places, and those that
// do come again stay.
//
// The table grows when the entries that lost their place show that it is too small, and the records when pieces come again whose
// records are gone; together they never take more than the limit.
#pragma once

#include <cstring>
#include <utility>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"
#include "platform/prefetch.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class PieceMemory {
public:
    static constexpr u32 kLongestPiece = 255, kLongestKeyed = 15, kMostIds = 4;
    static constexpr u32 kHashBits = 26;  // of a hash, below those that select a home
    // Bytes that must be readable after a piece.
    static constexpr size_t kPadding = 16;

    struct Key {
        u64 low, high;  // bits 56…59 of `high`: the length of a piece that is its own key; 60…63: zero

        bool operator==(const Key& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
        u64 hash() const {
            const u64 hash = low * layout::kMixA ^ high * layout::kMixB;
            return (hash ^ hash >> 32) * layout::kMixA;
        }
    };
    // length 0 … kLongestPiece. The key of length 0 is that of an empty entry, which has no ids.
    static Key key_of(const u8* piece, u32 length) {
        return length <= kLongestKeyed ? short_key(piece, length) : long_key(piece, length);
    }
    static Key short_key(const u8* piece, u32 length) {
        static constexpr u8 kMasks[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
        const u8* const masks = kMasks + 16 - length;
        return {word(piece) & word(masks), (word(piece + 8) & word(masks + 8)) | u64{length} << kLengthAt};
    }
    // The same from a hash of the piece.
    static Key long_key(const u8* piece, u32 length) {
        u64 state = layout::hash_start(length, 0);
        for (u32 i = 0; i + 8 < length; i += 8) state = layout::hash_next(state, word(piece + i));
        const u32 last = (length - 1) & ~7u;
        state = layout::hash_next(state, word(piece + last) & ~u64{0} >> (64 - 8 * (length - last)));
        return {state * layout::kMixD, u64{length} << kRecordLengthAt};
    }

    // Half a cache line. All zero: empty.
    struct alignas(32) Entry {
        u64 low, high;  // the key; bits 60…63: the number of ids, or kInRecord
        u32 ids[kMostIds];

        bool empty() const { return high << kCountBits == 0; }
        bool matches(const Key& key) const { return ((low ^ key.low) | (high ^ key.high) << kCountBits) == 0; }
        u32 count() const { return static_cast<u32>(high >> kCountAt); }
        bool has_record() const { return count() == kInRecord; }
    };

    // The state of a lookup, for a loop to hold in registers; valid until the next `find` or `keep`.
    struct Table {
        Entry* entries;
        u64 mask;  // of the bytes from the first line to another

        // The two entries of the key's home.
        Entry* home(const Key& key) const {
            return reinterpret_cast<Entry*>(reinterpret_cast<u8*>(entries) + (key.hash() >> kHashBits & mask));
        }
        Entry* other(Entry* home) const { return entries + (static_cast<size_t>(home - entries) ^ 2); }
    };
    // The one of two entries that may be the key's, without a branch.
    template <class SomeEntry>
    static SomeEntry* in(SomeEntry* line, const Key& key) {
        return line + !line->matches(key);
    }
    Table table() const { return {entries(), (sizeof(Entry) << bits_) - 2 * sizeof(Entry)}; }

    struct Found {
        const u32* ids;  // nullptr: the piece is not known
        u32 count;
    };
    // More ids than there are can be read of a record, up to a multiple of this.
    static constexpr u32 kReadableIds = 8;
    // The ids of an entry that has this piece's key.
    Found ids_of(const Entry* entry, const u8* piece) const {
        return entry->has_record() ? ids_in_record(entry, piece) : Found{entry->ids, entry->count()};
    }
    // Searches the whole set. The ids are valid until the next `find` or `keep`.
    Found find(const Key& key, const u8* piece) {
        const Table table = this->table();
        Entry* const home = table.home(key);
        Entry* entry = in(home, key);
        if (!entry->matches(key)) {
            entry = in(table.other(home), key);
            if (!entry->matches(key)) return {nullptr, 0};
            const Entry found = *entry;
            *entry = home[1];
            home[1] = home[0];
            *(entry = home) = found;
        }
        const Found found = ids_of(entry, piece);
        again_ += found.ids == nullptr;
        return found;
    }
    // Remembers the ids of a piece, unless memory is short or it has too many.
    void keep(const Key& key, const u8* piece, const u32* ids, u32 count);

    // Allocates the memory on first use; false if memory is short.
    bool ready() { return entries() || table_.make(sizeof(Entry) << (bits_ = least_bits())); }
    PieceMemory() { set_limit(0); }
    // Sets the limit in bytes, which is at least kLeastBytes. A memory that is larger is freed.
    void set_limit(u64 bytes);
    // Forgets all pieces and frees the memory.
    void release();
    // In bytes, what is reserved for chunks included.
    size_t memory() const { return table_.size() + (end_ - oldest_) * chunk_bytes_; }
    static constexpr u64 kLeastBytes = 12 << 10;

private:
    static constexpr u32 kCountBits = 4, kCountAt = 60, kLengthAt = 56, kRecordLengthAt = 40, kInRecord = 15;
    static constexpr u32 kLeastBits = 8, kFirstBits = 11, kMostBits = 22;  // of the number of entries
    static constexpr u32 kChunks = 64;

    static u64 word(const u8* p) {
        u64 bytes;
        std::memcpy(&bytes, p, 8);
        return bytes;
    }
    static u32 words_of(u32 length) { return (length + 3) / 4; }
    // The bytes of a piece that are in its record.
    static u32 recorded(u64 high) { return (high >> kLengthAt & 15) == 0 ? static_cast<u8>(high >> kRecordLengthAt) : 0; }

    Entry* entries() const { return static_cast<Entry*>(table_.data()); }
    u32 least_bits() const { return most_bits_ < kFirstBits ? most_bits_ : kFirstBits; }

    // In place of its ids, an entry with a record has their number, a place in a chunk, and the number of that chunk.
    const u32* record_of(const Entry* entry) const {
        u64 chunk;
        std::memcpy(&chunk, entry->ids + 2, sizeof chunk);
        return end_ - 1 - chunk < end_ - oldest_ ? words(chunk) + entry->ids[1] : nullptr;
    }
    u32* words(u64 chunk) const { return static_cast<u32*>(chunks_[chunk % kChunks].data()); }
    Found ids_in_record(const Entry* entry, const u8* piece) const {
        const u32* const record = record_of(entry);
        if (!record) return {nullptr, 0};
        const u32 length = recorded(entry->high);
        if (length > 0 && std::memcmp(record, piece, length) != 0) return {nullptr, 0};
        return {record + words_of(length), entry->ids[0]};
    }
    bool put_record(const Key& key, const u8* piece, const u32* ids, u32 count, Entry* entry);
    u32 chunk_words() const { return chunk_bytes_ / sizeof(u32) - kReadableIds; }
    bool next_chunk();
    void drop_chunk();
    Entry* place_for(const Key& key);
    void grow();

    ZeroedPages table_, chunks_[kChunks];
    u64 limit_ = 0;
    u32 bits_ = 0, most_bits_ = kLeastBits;
    u32 lost_ = 0;              // entries since the table has grown
    u32 again_ = 0;             // pieces that were asked for when their records were gone, since the last chunk
    u64 oldest_ = 0, end_ = 0;  // the numbers of the chunks in use
    u32 used_ = 0;              // words of the newest
    u32 chunk_bytes_ = 4 << 10, most_chunks_ = 1;
    u32 offered_ = 0;           // records, while chunks are filled anew
    bool is_refilled_ = false;  // all chunks are there, and the oldest ones are filled anew
};

}  // namespace crayon
