// Distinct byte strings and their counts: a hash table with open addressing.
//
// A row holds a whole string of up to 16 bytes, so counting it again reads one cache line. Rows are prefetched in batches:
// the table of a large corpus is far larger than the caches.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "platform/zeroed_pages.h"

namespace crayon::train {

class WordCounts {
public:
    // Bytes past a string that add() and add_pieces() may read.
    static constexpr size_t kPadding = 16;
    static constexpr u32 kShort = 16;

    struct Row {
        u64 key[2];  // the bytes, zero-padded; for a longer string its hash, and its index among the long ones
        u32 length;  // 0: an empty row
        u32 unused;
        u64 count;
    };
    static_assert(sizeof(Row) == 32);

    // Adds one to the count of each piece: the first begins at `begin`, each ends at the next of `count` ends. False:
    // memory is short, and the counts are incomplete.
    [[nodiscard]] bool add_pieces(const u8* text, size_t begin, const u32* ends, u32 count);
    // Adds to the count of one string, which must not be empty.
    [[nodiscard]] bool add(const u8* bytes, u32 length, u64 count);
    // Adds all counts of another table and empties it.
    [[nodiscard]] bool take(WordCounts& other);

    size_t size() const { return used_; }
    u64 bytes() const { return bytes_; }  // of the distinct strings
    // All rows, including empty ones.
    const Row* rows() const { return static_cast<const Row*>(pages_.data()); }
    size_t row_count() const { return pages_.size() / sizeof(Row); }
    const u8* bytes_of(const Row& row) const {
        return row.length <= kShort ? reinterpret_cast<const u8*>(row.key) : long_.data() + row.key[1];
    }
    void release();

private:
    static constexpr u32 kBatch = 32;

    struct Key {
        u64 key[2];
        u64 hash;
        u32 length;
    };

    static Key key_of(const u8* bytes, u32 length);
    static u64 hash_of(const Row& row);
    [[nodiscard]] bool grow(size_t more);
    [[nodiscard]] bool add_key(const Key& key, const u8* bytes, u64 count);
    Row* row_of(u64 hash) const { return static_cast<Row*>(pages_.data()) + (hash >> shift_); }
    bool is_last(const Row* row) const { return row + 1 == rows() + row_count(); }

    ZeroedPages pages_;
    u32 shift_ = 64;  // from a hash to the row where the search begins
    size_t used_ = 0;
    u64 bytes_ = 0;
    Buffer<u8> long_;
};

}  // namespace crayon::train
