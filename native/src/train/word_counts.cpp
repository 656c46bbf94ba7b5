#include "train/word_counts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "platform/prefetch.h"
#include "train/token_table.h"

namespace crayon::train {

WordCounts::Key WordCounts::key_of(const u8* bytes, u32 length) {
    Key key;
    key.length = length;
    if (length > kShort) {
        key.hash = key.key[0] = hash_bytes(bytes, length);
        key.key[1] = 0;
        return key;
    }
    std::memcpy(key.key, bytes, 16);
    const auto low_bytes = [](u32 count) { return count >= 8 ? ~u64{0} : (u64{1} << 8 * count) - 1; };
    // The first bytes are the low ones: everything here is little-endian, like cartridges.
    key.key[0] &= low_bytes(length);
    key.key[1] &= length > 8 ? low_bytes(length - 8) : 0;
    key.hash = hash_words(key.key[0], key.key[1], length);
    return key;
}

u64 WordCounts::hash_of(const Row& row) {
    return row.length > kShort ? row.key[0] : hash_words(row.key[0], row.key[1], row.length);
}

// At most five rows in eight are used.
bool WordCounts::grow(size_t more) {
    const size_t wanted = (used_ + more) * 8 / 5 + 1;
    if (wanted <= row_count()) return true;
    const size_t count = std::max<size_t>(std::bit_ceil(wanted), 4096);
    ZeroedPages old;
    old.swap(pages_);
    if (!pages_.make(count * sizeof(Row))) {
        old.swap(pages_);
        return false;
    }
    shift_ = 64 - static_cast<u32>(std::countr_zero(count));
    const Row* const first = static_cast<const Row*>(old.data());
    for (const Row* row = first; row != first + old.size() / sizeof(Row); ++row) {
        if (row->length == 0) continue;
        Row* to = row_of(hash_of(*row));
        while (to->length) to = is_last(to) ? row_of(0) : to + 1;
        *to = *row;
    }
    return true;
}

// There must be room for it.
bool WordCounts::add_key(const Key& key, const u8* bytes, u64 count) {
    for (Row* row = row_of(key.hash);; row = is_last(row) ? row_of(0) : row + 1) {
        if (row->length == key.length && row->key[0] == key.key[0]) {
            const bool same = key.length <= kShort ? row->key[1] == key.key[1]
                                                   : std::memcmp(long_.data() + row->key[1], bytes, key.length) == 0;
            if (same) {
                row->count += count;
                return true;
            }
        }
        if (row->length) continue;
        *row = {{key.key[0], key.key[1]}, key.length, 0, count};
        if (key.length > kShort) {
            row->key[1] = long_.size();
            if (!long_.append(bytes, key.length)) {
                *row = {};
                return false;
            }
        }
        ++used_;
        bytes_ += key.length;
        return true;
    }
}

bool WordCounts::add(const u8* bytes, u32 length, u64 count) { return grow(1) && add_key(key_of(bytes, length), bytes, count); }

bool WordCounts::add_pieces(const u8* text, size_t begin, const u32* ends, u32 count) {
    Key keys[kBatch];
    for (u32 done = 0; done < count;) {
        const u32 batch = std::min(kBatch, count - done);
        if (!grow(batch)) return false;
        const size_t first = begin;
        for (u32 i = 0; i < batch; ++i) {
            const size_t end = ends[done + i];
            keys[i] = key_of(text + begin, static_cast<u32>(end - begin));
            prefetch(row_of(keys[i].hash));
            begin = end;
        }
        const u8* bytes = text + first;
        for (u32 i = 0; i < batch; ++i) {
            if (!add_key(keys[i], bytes, 1)) return false;
            bytes += keys[i].length;
        }
        done += batch;
    }
    return true;
}

bool WordCounts::take(WordCounts& other) {
    if (other.used_ > used_) {
        pages_.swap(other.pages_);
        std::swap(shift_, other.shift_);
        std::swap(used_, other.used_);
        std::swap(bytes_, other.bytes_);
        long_.swap(other.long_);
    }
    const Row *row = other.rows(), *const end = row + other.row_count();
    while (row != end) {
        const Row* batch[kBatch];
        u32 count = 0;
        for (; row != end && count < kBatch; ++row) {
            if (row->length == 0) continue;
            prefetch(row_of(hash_of(*row)));
            batch[count++] = row;
        }
        if (!grow(count)) return false;
        for (u32 i = 0; i < count; ++i) {
            const Key key{{batch[i]->key[0], batch[i]->key[1]}, hash_of(*batch[i]), batch[i]->length};
            if (!add_key(key, other.bytes_of(*batch[i]), batch[i]->count)) return false;
        }
    }
    other.release();
    return true;
}

void WordCounts::release() {
    ZeroedPages none;
    none.swap(pages_);
    shift_ = 64;
    used_ = 0;
    bytes_ = 0;
    long_ = Buffer<u8>();
}

}  // namespace crayon::train
