// Functions on single bases that do not need a vocabulary.
#pragma once

#include "base/status.h"
#include "kernels/dna_kernel.h"

namespace crayon {

// UNKNOWN_BASE for bytes that are not bases. `out` may equal `bytes`.
Status reverse_complement_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* out);
// A 0, C 1, G 2, T 3, in either case; the first of four in the lowest bits.
Status pack_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* packed);
void unpack_bases(const u8* packed, u32 length, u8* bytes);

}  // namespace crayon
