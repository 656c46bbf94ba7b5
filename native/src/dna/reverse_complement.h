// The reverse complement of a sequence, in place or not.
#pragma once

#include "dna/map_bytes.h"

namespace crayon {

// `complements` holds each byte's complement. Returns the length, or the index of the first byte without one; `out` is
// unspecified then. Works from both ends to the middle, so in place, bytes are read before they are overwritten.
template <class Bases>
inline size_t reverse_complement(const ByteMap& complements, const u8* bytes, size_t length, u8* out) {
    size_t begin = 0, end = length;
    const auto first_rejected = [&] {
        while (begin < end && complements.values[bytes[begin]] != complements.rejected) ++begin;
        return begin;
    };
    if constexpr (Bases::kCount > 0) {
        const typename Bases::Letters letters = Bases::letters(complements);
        Bases first, last;
        for (; end - begin >= 2 * Bases::kCount; begin += Bases::kCount, end -= Bases::kCount) {
            const u8* const last_bytes = bytes + end - Bases::kCount;
            if (!look_up(complements, letters, Bases::load(bytes + begin), &first) ||
                !look_up(complements, letters, Bases::load(last_bytes), &last)) [[unlikely]] {
                return first_rejected();
            }
            last.reversed().template store_as<u8>(out + length - end);
            first.reversed().template store_as<u8>(out + length - begin - Bases::kCount);
        }
    }
    const size_t rejected = first_rejected();  // moves begin
    begin = length - end;
    if (rejected != end) return rejected;
    for (; begin < end; ++begin, --end) {
        const u8 first = complements.values[bytes[begin]], last = complements.values[bytes[end - 1]];
        out[length - end] = last;
        out[length - begin - 1] = first;
    }
    return length;
}

}  // namespace crayon
