// The hash of byte strings for the trainer's tables: two words at a time, by the high half of a product (Wang Yi's wyhash,
// 2019).
#pragma once

#include <cstring>

#include "base/integers.h"

namespace crayon::train {

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

}  // namespace crayon::train
