// The kernel of a DNA-only module, in place of the engine's: the validator's functions, DNA, and its file formats. No text
// is scanned.
#if CRAYON_HAS_KERNEL_SIMD128
#define CRAYON_KERNEL kernel_simd128
#include "simd/bases_simd128.h"
#include "simd/bytes64_simd128.h"
#else
#define CRAYON_KERNEL kernel_scalar
#include "simd/bases_scalar.h"
#include "simd/bytes64_scalar.h"
#endif
#include "cartridge/checksum_blocks.h"
#include "cartridge/table_rules.h"
#include "simd/dna_kernel_impl.h"
#include "simd/record_kernel_impl.h"

#define CRAYON_STRING2(x) #x
#define CRAYON_STRING(x) CRAYON_STRING2(x)

namespace crayon::CRAYON_KERNEL {

const Kernel kKernel = {
    .name = &CRAYON_STRING(CRAYON_KERNEL)[7],  // without "kernel_"
    .scans = {},
    .utf16_to_utf8 = nullptr,
    .checksum_blocks = checksum_blocks<Bytes64::Lanes>,
    .broken = kBroken,
    .least = nullptr,
};

}  // namespace crayon::CRAYON_KERNEL
