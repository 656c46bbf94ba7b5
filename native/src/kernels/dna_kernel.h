// The DNA part of a kernel: a separate table, so that a module without DNA omits its code.
#pragma once

#include "dna/kernel_tables.h"
#include "kernels/kernel.h"

namespace crayon {

// The result for some bytes: how many precede the first that the map rejects, and how many of these have the counted value.
struct Mapped {
    size_t length;
    size_t counted;
};

struct DnaKernel {
    // To ids of 1, 2, 4 or 8 bytes.
    Mapped (*map[4])(const ByteMap& map, const u8* bytes, size_t count, u8* out);
    // These return the number of bytes before the first that the map rejects.
    using Map = size_t (*)(const ByteMap& map, const u8* bytes, size_t count, u8* out);
    Map pack_high_first;  // two-bit values, four to a byte
    Map pack_low_first;
    Map reverse_complement;
    // `packed`: high first, with kPackedPadding. Indexed by id size, as above.
    void (*kmers[4])(const u8* packed, const KmerNumbers& kmers, size_t count, u8* out);
};

}  // namespace crayon
