// Kernels: the same algorithms compiled once per instruction set, one of them chosen at run time.
#pragma once

#include "base/integers.h"
#include "cartridge/table_check.h"
#include "crayon/layout/cartridge.h"
#include "normalize/nfc_pages.h"
#include "scan/scanner.h"
#include "simd/least.h"

namespace crayon {

struct Transcoded {
    size_t units;  // consumed
    size_t bytes;  // written
};

// Indexed by layout::Pretokenizer; nullptr where a module lacks one.
struct ScanFunctions {
    ScanFunction of[layout::kLastPretokenizer + 1];
    ScanFunction bert_and_ideographs;  // for raw text (encode/raw_words.h)
};

struct Kernel {
    const char* name;
    ScanFunctions scans;
    // UTF-16 to UTF-8: lone surrogates become U+FFFD; a high surrogate at the end is not consumed. `bytes` needs room for 3
    // × count + 64.
    Transcoded (*utf16_to_utf8)(const u16* units, size_t count, u8* bytes);
    // For the validator: the lanes of a checksum, and the rules of long tables, by TableRule.
    void (*checksum_blocks)(u64* lanes, const u8* bytes, size_t count);
    const TableCheck::Broken* broken;
    // For normalized texts; nullptr in modules without it.
    PassNormal pass_normal;
    // For merging: the smallest number of each row (simd/least.h).
    LeastFunction least;

    ScanFunction scan(u32 pretokenizer) const {
        return pretokenizer <= layout::kLastPretokenizer ? scans.of[pretokenizer] : nullptr;
    }
};

// The kernels that this machine can run, best first; nullptr past the last one, "scalar".
const Kernel* kernel_at(u32 index);
// The kernel with that name if this machine can run it, else nullptr. An empty name selects the best one.
const Kernel* kernel_named(const char* name, size_t length);

// Kernels of other architectures are not compiled.
namespace kernel_scalar {
extern const Kernel kKernel;
}
namespace kernel_ssse3 {
extern const Kernel kKernel;
}
namespace kernel_avx2 {
extern const Kernel kKernel;
}
namespace kernel_avx512 {
extern const Kernel kKernel;
}
namespace kernel_neon {
extern const Kernel kKernel;
}
namespace kernel_simd128 {
extern const Kernel kKernel;
}

}  // namespace crayon
