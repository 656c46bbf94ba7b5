// The tokens: the bytes of each id, and the id of given bytes.
#pragma once

#include <cstring>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"

namespace crayon::train {

// The hash of byte strings: two words at a time, by the high half of a product (Wang Yi's wyhash, 2019).
inline u64 fold(u64 a, u64 b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

inline u64 hash_words(u64 first, u64 second, u64 seed) {
    return fold(first ^ 0xA0761D6478BD642F, second ^ 0xE7037ED1A0B428DB ^ seed * 0x9E3779B97F4A7C15);
}

inline u64 hash_bytes(const u8* bytes, size_t length) {
    u64 hash = length, words[2];
    for (; length > 16; bytes += 16, length -= 16) {
        std::memcpy(words, bytes, 16);
        hash = hash_words(words[0], words[1], hash);
    }
    words[0] = words[1] = 0;
    std::memcpy(words, bytes, length);
    return hash_words(words[0], words[1], hash);
}

inline constexpr u32 kNoToken = 0xFFFFFFFF;

class TokenTable {
public:
    // The token with these bytes (at least one): an existing one, or a new one with the next id.
    Status add(const u8* bytes, u32 length, u32* id);
    // The same for the concatenation of two tokens.
    Status join(u32 left, u32 right, u32* id);

    u32 size() const { return static_cast<u32>(lengths_.size()); }
    u32 length(u32 id) const { return lengths_[id]; }
    const u32* lengths() const { return lengths_.data(); }
    const u8* bytes(u32 id) const { return bytes_.data() + offsets_[id]; }
    const u8* all_bytes() const { return bytes_.data(); }
    const u32* offsets() const { return offsets_.data(); }  // size() + 1

private:
    Status grow(size_t length);
    Status add_last(size_t from, u32* id);

    Buffer<u8> bytes_;
    Buffer<u32> offsets_, lengths_;
    Buffer<u32> slots_;  // a hash table: ids, or kNoToken
};

}  // namespace crayon::train
