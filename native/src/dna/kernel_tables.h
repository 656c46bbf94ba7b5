// The tables that kernels apply to sequences: a value for each byte, and where k-mers begin.
#pragma once

#include "base/integers.h"

namespace crayon {

inline constexpr u32 kFirstLetter = 64;
inline constexpr u32 kLetters = 64;

// A value for each byte. Kernels look up bytes 64…127, which include the letters, in vectors. If all other bytes share one value,
// as in nearly every vocabulary, this is exact; otherwise a block with another byte is looked up byte by byte.
struct ByteMap {
    u8 values[256];
    u8 letters[kLetters];  // the values of the letters, XOR `other`
    bool has_lower_case;   // whether any value from the 32nd on is nonzero
    u8 other;              // the value of the first non-letter byte
    bool alike;            // whether all non-letters share it
    u8 rejected;           // with `rejects`: bytes with this value are rejected
    bool rejects;
    u8 counted;  // with `counts`: map_bytes counts the bytes with this value
    bool counts;

    // Call after setting `values` and, if needed, the rejected ones.
    constexpr void complete() {
        other = values[0];
        alike = true;
        has_lower_case = false;
        for (u32 byte = 0; byte < 256; ++byte) {
            if (byte - kFirstLetter < kLetters) {
                letters[byte - kFirstLetter] = static_cast<u8>(values[byte] ^ other);
                has_lower_case = has_lower_case || (byte >= 'a' - 1 && values[byte] != other);
            } else {
                alike = alike && values[byte] == other;
            }
        }
    }
};

// Where k-mers with two-bit digits begin, and their ids by index. Four of them begin in as many bytes as the stride has
// bases: the layout of four k-mers repeats for the next four.
struct KmerNumbers {
    u32 k;
    u32 stride;
    u32 first;            // the id is first + index
    const u32* ids;       // or ids[index], if not null
    u8 byte_indices[16];  // the 32 bits in which each of four k-mers begins, lowest byte first
    u32 shifts[4];        // the number of bits before it
};
// Readable bytes after the last digit.
inline constexpr u32 kPackedPadding = 64;

}  // namespace crayon
