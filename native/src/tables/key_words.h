// Hash table keys as little-endian words (layout/perfect_hash.h), read without touching bytes past the key.
#pragma once

#include <bit>
#include <cstring>

#include "base/integers.h"
#include "crayon/layout/perfect_hash.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "tables are written in place");

// The first `length` bytes (0…8), zeros above.
inline u64 key_word(const u8* bytes, u32 length) {
    if (length >= 8) {
        u64 word;
        std::memcpy(&word, bytes, 8);
        return word;
    }
    if (length >= 4) {  // two overlapping halves
        u32 low, high;
        std::memcpy(&low, bytes, 4);
        std::memcpy(&high, bytes + length - 4, 4);
        return low | u64{high} << (8 * (length - 4));
    }
    if (length == 0) return 0;
    // With one or two bytes, the middle one repeats the first or the last.
    return bytes[0] | u64{bytes[length / 2]} << (8 * (length / 2)) | u64{bytes[length - 1]} << (8 * (length - 1));
}

// The hash of kPiecesLong, for a key of any length.
inline u64 hash_bytes(const u8* bytes, u32 length, u64 seed) {
    u64 state = layout::hash_start(length, seed);
    u32 i = 0;
    for (; i + 8 <= length; i += 8) state = layout::hash_next(state, key_word(bytes + i, 8));
    if (i < length) state = layout::hash_next(state, key_word(bytes + i, length - i));
    return layout::hash_finish(state);
}

}  // namespace crayon
