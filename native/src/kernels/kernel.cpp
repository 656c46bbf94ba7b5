#include "kernels/kernel.h"

#include <cstring>

#if CRAYON_HAS_KERNEL_SSSE3
#include <cpuid.h>
#endif

namespace crayon {

#if CRAYON_HAS_KERNEL_SSSE3
namespace {

// What the processor and the system both support: AVX and AVX-512 registers are lost on systems that do not save them. CPUID is
// asked directly, because __builtin_cpu_supports reports no features in zig, which builds the addon for other platforms. Intel
// SDM volume 2, CPUID; volume 1, 13.3 (XCR0).
class X86Features {
public:
    X86Features() {
        u32 eax = 0, ebx = 0, ecx = 0, edx = 0;
        if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return;
        ecx1_ = ecx;
        if (bit(ecx1_, 27)) saved_ = read_xcr0();
        if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
            ebx7_ = ebx;
            ecx7_ = ecx;
        }
        if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx)) extended_ = ecx;
    }

    // The flags that CMakeLists.txt compiles each kernel with.
    bool has_ssse3() const { return bit(ecx1_, 9) && has_popcnt(); }
    bool has_avx2() const { return (saved_ & 0x6) == 0x6 && bit(ebx7_, 5) && has_bmi() && bit(extended_, 5) && has_popcnt(); }
    bool has_avx512() const {
        const bool is_saved = (saved_ & 0xE6) == 0xE6;
        const bool has_base = bit(ebx7_, 16) && bit(ebx7_, 30) && bit(ebx7_, 31);  // F, BW, VL
        const bool has_bytes = bit(ecx7_, 1) && bit(ecx7_, 6) && bit(ecx7_, 12);   // VBMI, VBMI2, BITALG
        return is_saved && has_base && has_bytes && has_bmi();
    }

private:
    static bool bit(u32 word, int index) { return (word >> index & 1) != 0; }
    bool has_popcnt() const { return bit(ecx1_, 23); }
    bool has_bmi() const { return bit(ebx7_, 3) && bit(ebx7_, 8); }  // BMI1, BMI2

    // The registers that the system saves.
    static u32 read_xcr0() {
        u32 low, high;
        asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return low;
    }

    u32 ecx1_ = 0, ebx7_ = 0, ecx7_ = 0, extended_ = 0, saved_ = 0;
};

const X86Features& x86() {
    static const X86Features features;
    return features;
}

}  // namespace

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
