#include "simd/record_kernel.h"

namespace crayon {

const RecordKernel& record_kernel_of([[maybe_unused]] const Kernel& kernel) {
#if CRAYON_HAS_KERNEL_AVX512
    if (&kernel == &kernel_avx512::kKernel) return kernel_avx512::kRecords;
#endif
#if CRAYON_HAS_KERNEL_AVX2
    if (&kernel == &kernel_avx2::kKernel) return kernel_avx2::kRecords;
#endif
#if CRAYON_HAS_KERNEL_SSSE3
    if (&kernel == &kernel_ssse3::kKernel) return kernel_ssse3::kRecords;
#endif
#if CRAYON_HAS_KERNEL_NEON
    if (&kernel == &kernel_neon::kKernel) return kernel_neon::kRecords;
#endif
#if CRAYON_HAS_KERNEL_SIMD128
    return kernel_simd128::kRecords;
#else
    return kernel_scalar::kRecords;
#endif
}

}  // namespace crayon
