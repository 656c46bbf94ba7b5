#include "simd/kernel.h"

#include <cstring>

namespace crayon {

namespace {

struct Row {
    const Kernel* kernel;
    bool (*runs_here)();
};

// CMakeLists.txt says which rows this build has: those of its architecture.
constexpr Row kRows[] = {
#if CRAYON_ROW_AVX512
    {&row_avx512::kKernel,
     [] {
         return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
                __builtin_cpu_supports("bmi2") != 0;
     }},
#endif
#if CRAYON_ROW_AVX2
    {&row_avx2::kKernel,
     [] {
         return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") != 0;
     }},
#endif
#if CRAYON_ROW_SSSE3
    {&row_ssse3::kKernel, [] { return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt") != 0; }},
#endif
#if CRAYON_ROW_NEON
    {&row_neon::kKernel, [] { return true; }},  // part of AArch64
#endif
#if CRAYON_ROW_SIMD128
    {&row_simd128::kKernel, [] { return true; }},  // a module that has it loads nowhere else
#endif
#if CRAYON_ROW_SCALAR
    {&row_scalar::kKernel, [] { return true; }},
#endif
};

}  // namespace

const Kernel* kernel_at(u32 index) {
    for (const Row& row : kRows) {
        if (row.runs_here() && index-- == 0) return row.kernel;
    }
    return nullptr;
}

const Kernel* kernel_named(const char* name, size_t length) {
    for (u32 i = 0; const Kernel* kernel = kernel_at(i); ++i) {
        if (length == 0 || (std::strlen(kernel->name) == length && std::memcmp(kernel->name, name, length) == 0))
            return kernel;
    }
    return nullptr;
}

}  // namespace crayon
