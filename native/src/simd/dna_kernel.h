// The part of a kernel that is about DNA: a table of its own, so that a module without DNA does not have its code.
#pragma once

#include "dna/byte_map.h"
#include "simd/kernel.h"

namespace crayon {

// Where k-mers with digits of two bits begin, and their ids by index. Four of them begin in as many bytes as the stride has
// bases: whatever holds for four k-mers holds for the next four.
struct KmerNumbers {
    u32 k;
    u32 stride;
    u32 first;            // the id is first + index
    const u32* ids;       // or ids[index], if this is not null
    u8 byte_indices[16];  // the 32 bits that each of four k-mers begins in, the lowest byte first
    u32 shifts[4];        // the bits before it
};
// The bytes after the last digit that can be read.
inline constexpr u32 kPackedPadding = 64;

// What has become of some bytes: how many precede the first that the map rejects, and how many of these have the counted value.
struct Mapped {
    size_t length;
    size_t counted;
};

struct DnaKernel {
    // To ids of 1, 2, 4 and 8 bytes.
    Mapped (*map[4])(const ByteMap& map, const u8* bytes, size_t count, u8* out);
    // They return the number of bytes before the first that the map rejects.
    using Map = size_t (*)(const ByteMap& map, const u8* bytes, size_t count, u8* out);
    Map pack_high_first;  // values of two bits, four to a byte
    Map pack_low_first;
    Map reverse_complement;
    // `packed`: high first, and kPackedPadding. By the size of an id, as above.
    void (*kmers[4])(const u8* packed, const KmerNumbers& kmers, size_t count, u8* out);
};

// Of a kernel of this machine.
const DnaKernel& dna_kernel_of(const Kernel& kernel);

namespace kernel_scalar {
extern const DnaKernel kDna;
}
namespace kernel_ssse3 {
extern const DnaKernel kDna;
}
namespace kernel_avx2 {
extern const DnaKernel kDna;
}
namespace kernel_avx512 {
extern const DnaKernel kDna;
}
namespace kernel_neon {
extern const DnaKernel kDna;
}
namespace kernel_simd128 {
extern const DnaKernel kDna;
}

}  // namespace crayon
