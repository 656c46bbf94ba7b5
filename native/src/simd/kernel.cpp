#include "simd/kernel.h"

#include <cstring>

#if CRAYON_HAS_KERNEL_SSSE3
#include "simd/x86_features.h"
#endif

namespace crayon {

#if CRAYON_HAS_KERNEL_SSSE3
static const X86Features& x86() {
    static const X86Features features;
    return features;
}
bool kernel_avx512::runs_here() { return x86().has_avx512(); }
bool kernel_avx2::runs_here() { return x86().has_avx2(); }
bool kernel_ssse3::runs_here() { return x86().has_ssse3(); }
#endif
#if CRAYON_HAS_KERNEL_NEON
bool kernel_neon::runs_here() { return true; }  // always part of AArch64
#endif
#if CRAYON_HAS_KERNEL_SIMD128
bool kernel_simd128::runs_here() { return true; }  // a module with SIMD only loads where SIMD works
#endif
#if CRAYON_HAS_KERNEL_SCALAR
bool kernel_scalar::runs_here() { return true; }
#endif

const Kernel* kernel_at(u32 index) {
    for (const Kernel& kernel : kKernels) {
        if (kernel.runs_here() && index-- == 0) return &kernel;
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
