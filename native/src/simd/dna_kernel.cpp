#include "simd/dna_kernel.h"

namespace crayon {

const DnaKernel& dna_kernel_of(const Kernel& kernel) {
#if CRAYON_HAS_KERNEL_AVX512
    if (&kernel == &kernel_avx512::kKernel) return kernel_avx512::kDna;
#endif
#if CRAYON_HAS_KERNEL_AVX2
    if (&kernel == &kernel_avx2::kKernel) return kernel_avx2::kDna;
#endif
#if CRAYON_HAS_KERNEL_SSSE3
    if (&kernel == &kernel_ssse3::kKernel) return kernel_ssse3::kDna;
#endif
#if CRAYON_HAS_KERNEL_NEON
    if (&kernel == &kernel_neon::kKernel) return kernel_neon::kDna;
#endif
#if CRAYON_HAS_KERNEL_SIMD128
    static_cast<void>(kernel);
    return kernel_simd128::kDna;
#else
    return kernel_scalar::kDna;
#endif
}

}  // namespace crayon
