// A value for each byte: the form of all tables that kernels apply to sequences.
//
// Kernels look up bytes 64…127, which include the letters, in vectors. If all other bytes share one value, as in nearly
// every vocabulary, this is exact; otherwise a block with another byte is looked up byte by byte.
#pragma once

#include "base/integers.h"

namespace crayon {

inline constexpr u32 kFirstLetter = 64;
inline constexpr u32 kLetters = 64;

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

}  // namespace crayon
