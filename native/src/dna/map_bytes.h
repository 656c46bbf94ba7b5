// Applies a ByteMap to a sequence, in the vectors of a kernel, and does something with the values of each vector.
//
// Values that are rejected, and bytes that the vectors do not have in their tables, are rare: where a block has one, its
// bytes are looked up one by one.
#pragma once

#include <cstring>

#include "dna/byte_map.h"

namespace crayon {

// The values of a block of Bases::kCount bytes; false if they must be looked up one by one.
template <class Bases>
inline bool look_up(const ByteMap& map, const typename Bases::Letters& letters, Bases bytes, Bases* values) {
    if (!map.alike && !bytes.are_letters()) return false;
    *values = bytes.looked_up(letters).flipped(map.other);
    return !(map.rejects && values->has(map.rejected));
}

// out[i] = the value of bytes[i], as an Id. Returns the number of bytes before the first rejected one.
template <class Bases, class Id>
inline size_t map_bytes(const ByteMap& map, const u8* bytes, size_t count, u8* out) {
    const auto one_by_one = [&](size_t begin, size_t end) {
        for (; begin < end; ++begin) {
            const Id id = map.values[bytes[begin]];
            if (map.rejects && id == map.rejected) break;
            std::memcpy(out + begin * sizeof(Id), &id, sizeof(Id));
        }
        return begin;
    };
    if constexpr (Bases::kCount > 0) {
        const typename Bases::Letters letters = Bases::letters(map);
        Bases values;
        size_t at = 0;
        while (at < count) {
            size_t end = at + Bases::kCount;
            if (end > count) {
                if (count < Bases::kCount) break;
                at = count - Bases::kCount;  // the last vector has some bytes once more
                end = count;
            }
            if (look_up(map, letters, Bases::load(bytes + at), &values)) [[likely]] {
                values.template store_as<Id>(out + at * sizeof(Id));
            } else if (const size_t done = one_by_one(at, end); done < end) {
                return done;
            }
            at = end;
        }
        return one_by_one(at, count);
    }
    return one_by_one(0, count);
}

// Packs the values, which are two bits each, four to a byte, and zeros after the last. The first has the highest bits of
// its byte, or the lowest. Returns the number of bytes before the first rejected one; only those are packed.
template <class Bases, bool kHighFirst>
inline size_t pack_bytes(const ByteMap& map, const u8* bytes, size_t count, u8* packed) {
    const auto one_by_one = [&](size_t at, size_t end) {
        for (; at < end; ++at) {
            const u8 value = map.values[bytes[at]];
            if (value == map.rejected) break;
            const u32 shift = static_cast<u32>(kHighFirst ? 3 - at % 4 : at % 4) * 2;
            packed[at / 4] = static_cast<u8>((at % 4 == 0 ? 0 : packed[at / 4]) | value << shift);
        }
        return at;
    };
    size_t at = 0;
    if constexpr (Bases::kCount > 0) {
        const typename Bases::Letters letters = Bases::letters(map);
        Bases values;
        for (; at + Bases::kCount <= count; at += Bases::kCount) {
            if (look_up(map, letters, Bases::load(bytes + at), &values)) [[likely]] {
                values.template store_packed<kHighFirst>(packed + at / 4);
            } else if (const size_t done = one_by_one(at, at + Bases::kCount); done < at + Bases::kCount) {
                return done;
            }
        }
    }
    return one_by_one(at, count);
}

}  // namespace crayon
