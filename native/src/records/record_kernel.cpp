#include "records/record_kernel.h"

namespace crayon {

#define CRAYON_RECORD_KERNEL(name)          \
    namespace name {                        \
    extern const RecordKernel kRecordKernel; \
    }
CRAYON_RECORD_KERNEL(kernel_scalar)
CRAYON_RECORD_KERNEL(kernel_ssse3)
CRAYON_RECORD_KERNEL(kernel_avx2)
CRAYON_RECORD_KERNEL(kernel_avx512)
CRAYON_RECORD_KERNEL(kernel_neon)
CRAYON_RECORD_KERNEL(kernel_simd128)
#undef CRAYON_RECORD_KERNEL

const RecordKernel& record_kernel([[maybe_unused]] const Kernel& kernel) {
#if CRAYON_HAS_KERNEL_AVX512
    if (&kernel == &kernel_avx512::kKernel) return kernel_avx512::kRecordKernel;
#endif
#if CRAYON_HAS_KERNEL_AVX2
    if (&kernel == &kernel_avx2::kKernel) return kernel_avx2::kRecordKernel;
#endif
#if CRAYON_HAS_KERNEL_SSSE3
    if (&kernel == &kernel_ssse3::kKernel) return kernel_ssse3::kRecordKernel;
#endif
#if CRAYON_HAS_KERNEL_NEON
    if (&kernel == &kernel_neon::kKernel) return kernel_neon::kRecordKernel;
#endif
#if CRAYON_HAS_KERNEL_SIMD128
    return kernel_simd128::kRecordKernel;
#else
    return kernel_scalar::kRecordKernel;
#endif
}

}  // namespace crayon
