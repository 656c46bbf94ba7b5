// Ids of k-mers from packed digits, for a kernel: without vectors, but with its instructions.
//
// A k-mer has at most 16 bits, and begins at one of four places of a byte: it is in the 32 bits from there on.
#pragma once

#include <cstring>

#include "simd/dna_kernel.h"

namespace crayon::CRAYON_KERNEL {

template <class Id>
inline void kmer_ids(const u8* packed, const KmerNumbers& kmers, size_t stride, size_t count, u8* out) {
    const u32 unused = 32 - 2 * kmers.k;
    for (size_t at = 0; count > 0; at += stride, --count, out += sizeof(Id)) {
        u32 bits;
        std::memcpy(&bits, packed + at / 4, 4);
        const u32 index = __builtin_bswap32(bits) << (at % 4 * 2) >> unused;
        const Id id = static_cast<Id>(kmers.ids ? kmers.ids[index] : kmers.first + index);
        std::memcpy(out, &id, sizeof(Id));
    }
}

}  // namespace crayon::CRAYON_KERNEL
