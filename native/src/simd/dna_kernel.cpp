#include "simd/dna_kernel.h"

namespace crayon {

namespace {

struct Pair {
    const Kernel* kernel;
    const DnaKernel* dna;
};

// The kernels of this build, as in kernel.cpp.
constexpr Pair kPairs[] = {
#if CRAYON_HAS_KERNEL_AVX512
    {&kernel_avx512::kKernel, &kernel_avx512::kDna},
#endif
#if CRAYON_HAS_KERNEL_AVX2
    {&kernel_avx2::kKernel, &kernel_avx2::kDna},
#endif
#if CRAYON_HAS_KERNEL_SSSE3
    {&kernel_ssse3::kKernel, &kernel_ssse3::kDna},
#endif
#if CRAYON_HAS_KERNEL_NEON
    {&kernel_neon::kKernel, &kernel_neon::kDna},
#endif
#if CRAYON_HAS_KERNEL_SIMD128
    {&kernel_simd128::kKernel, &kernel_simd128::kDna},
#endif
#if CRAYON_HAS_KERNEL_SCALAR
    {&kernel_scalar::kKernel, &kernel_scalar::kDna},
#endif
};

}  // namespace

const DnaKernel& dna_kernel_of(const Kernel& kernel) {
    const Pair* pair = kPairs;
    while (pair->kernel != &kernel) ++pair;
    return *pair->dna;
}

}  // namespace crayon
