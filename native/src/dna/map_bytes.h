// Applies a ByteMap to a sequence, in a kernel's vectors, and processes the values of each vector.
//
// Rejected values, and bytes outside the vector tables, are rare: a block with one is looked up byte by byte.
#pragma once

#include <cstring>

#include "kernels/dna_kernel.h"

namespace crayon {

// The values of a block of Bases::kCount bytes; false if they must be looked up one by one.
template <class Bases>
inline bool look_up(const ByteMap& map, const typename Bases::Letters& letters, Bases bytes, Bases* values) {
    if (!map.alike && !bytes.are_letters()) return false;
    *values = bytes.looked_up(letters).flipped(map.other);
    return !(map.rejects && values->has(map.rejected));
}

// The number of values from the one at `first` on that equal this one.
template <class Bases>
inline size_t count_from(Bases values, size_t first, u8 value) {
    const u64 equal = values.equal(value) >> (first * Bases::kEqualBits);
    return static_cast<size_t>(__builtin_popcountll(equal)) / Bases::kEqualBits;
}

// out[i] = the value of bytes[i], as an Id, for the bytes from `begin` to `end`. The length counts from 0.
template <class Id>
inline Mapped map_one_by_one(const ByteMap& map, const u8* bytes, size_t begin, size_t end, u8* out) {
    constexpr u32 kNoValue = 0x100;
    // Copied out of the map, which the compiler might assume overlaps the ids being written.
    const u32 rejected = map.rejects ? map.rejected : kNoValue, counted = map.counts ? map.counted : kNoValue;
    Mapped mapped = {begin, 0};
    for (; mapped.length < end; ++mapped.length) {
        const u32 value = map.values[bytes[mapped.length]];
        if (value == rejected) break;
        mapped.counted += value == counted;
        const Id id = static_cast<Id>(value);
        std::memcpy(out + mapped.length * sizeof(Id), &id, sizeof(Id));
    }
    return mapped;
}

// The same for all bytes.
template <class Bases, class Id>
inline Mapped map_bytes(const ByteMap& map, const u8* bytes, size_t count, u8* out) {
    size_t at = 0, counted = 0;
    if constexpr (Bases::kCount > 0) {
        const typename Bases::Letters letters = Bases::letters(map);
        const bool counts = map.counts;
        const u8 value = map.counted;
        Bases values;
        for (; count - at >= Bases::kCount; at += Bases::kCount) {
            if (look_up(map, letters, Bases::load(bytes + at), &values)) [[likely]] {
                values.template store_as<Id>(out + at * sizeof(Id));
                if (counts) counted += count_from(values, 0, value);
                continue;
            }
            const size_t end = at + Bases::kCount;
            const Mapped block = map_one_by_one<Id>(map, bytes, at, end, out);
            counted += block.counted;
            if (block.length < end) return {block.length, counted};
        }
        // The last vector covers some bytes again.
        if (const size_t begin = count - Bases::kCount;
            at < count && count > Bases::kCount && look_up(map, letters, Bases::load(bytes + begin), &values)) {
            values.template store_as<Id>(out + begin * sizeof(Id));
            if (counts) counted += count_from(values, at - begin, value);
            return {count, counted};
        }
        if (at == count) return {count, counted};
    }
    const Mapped rest = map_one_by_one<Id>(map, bytes, at, count, out);
    return {rest.length, counted + rest.counted};
}

// Packs the two-bit values four to a byte, with zeros after the last. The first value takes the highest bits of its byte,
// or the lowest. Returns the number of bytes before the first rejected one; only those are packed.
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
