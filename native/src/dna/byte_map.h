// A value for each byte: of all tables that kernels apply to sequences.
//
// Kernels look up the bytes of ASCII that letters are among, 64…127, in vectors. Where all others have the same value, as
// in nearly every vocabulary, this is exact; else a block with another byte is looked up byte by byte.
#pragma once

#include "base/integers.h"

namespace crayon {

inline constexpr u32 kFirstLetter = 64;
inline constexpr u32 kLetters = 64;

struct ByteMap {
    u8 values[256];
    u8 letters[kLetters];  // the values of the letters, XOR those of other
    bool has_lower_case;   // whether any of those from the 32nd on is not 0
    u8 other;              // the value of the first byte that is no letter
    bool alike;            // and of all of them
    u8 rejected;           // no byte may have this value, if `rejects`
    bool rejects;
    u8 counted;  // map_bytes counts the bytes with this value, if `counts`
    bool counts;

    // After `values` and, if there are any, rejected ones.
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
