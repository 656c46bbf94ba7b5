#include "simd/kernel.h"

#include <cstring>

#if CRAYON_HAS_KERNEL_SSSE3
#include "simd/x86_features.h"
#endif

namespace crayon {

namespace {

struct Candidate {
    const Kernel* kernel;
    bool (*runs_here)();
};

#if CRAYON_HAS_KERNEL_SSSE3
const X86Features& x86() {
    static const X86Features features;
    return features;
}
#endif

// CMakeLists.txt defines the kernels of this build: those for its architecture.
constexpr Candidate kCandidates[] = {
#if CRAYON_HAS_KERNEL_AVX512
    {&kernel_avx512::kKernel, [] { return x86().has_avx512(); }},
#endif
#if CRAYON_HAS_KERNEL_AVX2
    {&kernel_avx2::kKernel, [] { return x86().has_avx2(); }},
#endif
#if CRAYON_HAS_KERNEL_SSSE3
    {&kernel_ssse3::kKernel, [] { return x86().has_ssse3(); }},
#endif
#if CRAYON_HAS_KERNEL_NEON
    {&kernel_neon::kKernel, [] { return true; }},  // always part of AArch64
#endif
#if CRAYON_HAS_KERNEL_SIMD128
    {&kernel_simd128::kKernel, [] { return true; }},  // a module with SIMD only loads where SIMD works
#endif
#if CRAYON_HAS_KERNEL_SCALAR
    {&kernel_scalar::kKernel, [] { return true; }},
#endif
};

}  // namespace

const Kernel* kernel_at(u32 index) {
    for (const Candidate& candidate : kCandidates) {
        if (candidate.runs_here() && index-- == 0) return candidate.kernel;
    }
    return nullptr;
}

const Kernel* kernel_named(const char* name, size_t length) {
    for (u32 i = 0; const Kernel* kernel = kernel_at(i); ++i) {
        if (length == 0 || (std::strlen(kernel->name) == length && std::memcmp(kernel->name, name, length) == 0)) return kernel;
    }
    return nullptr;
}

}  // namespace crayon
