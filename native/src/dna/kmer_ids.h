// Ids of k-mers from packed digits, in a kernel's vectors, or one by one.
//
// A k-mer has at most 16 bits and begins at one of four positions in a byte, so it lies in the 32 bits from that byte on,
// read big-endian. Shifting left puts its first digit on top; shifting right then puts its last one at the bottom.
#pragma once

#include <cstring>

#include "kernels/dna_kernel.h"

namespace crayon {

template <class Lanes, class Id>
inline void kmer_ids(const u8* packed, const KmerNumbers& kmers, size_t count, u8* out) {
    const u32 unused = 32 - 2 * kmers.k;
    if constexpr (Lanes::kCount > 0 && sizeof(Id) > 1) {
        const Lanes lanes(kmers);
        for (; count >= Lanes::kCount; count -= Lanes::kCount, out += Lanes::kCount * sizeof(Id)) {
            auto numbers = lanes.indexes(packed);
            if (kmers.ids) {
                u32 ids[Lanes::kCount];
                Lanes::template store_as<u32>(numbers, reinterpret_cast<u8*>(ids));
                for (u32& id : ids) id = kmers.ids[id];
                numbers = Lanes::load(ids);
            } else {
                numbers = lanes.with_first(numbers);
            }
            Lanes::template store_as<Id>(numbers, out);
            packed += Lanes::kCount / 4 * kmers.stride;
        }
    }
    for (size_t at = 0; count > 0; at += kmers.stride, --count, out += sizeof(Id)) {
        u32 bits;
        std::memcpy(&bits, packed + at / 4, 4);
        const u32 index = __builtin_bswap32(bits) << (at % 4 * 2) >> unused;
        const Id id = static_cast<Id>(kmers.ids ? kmers.ids[index] : kmers.first + index);
        std::memcpy(out, &id, sizeof(Id));
    }
}

}  // namespace crayon
