// Kernels: the same algorithms compiled once per instruction set, one of them chosen at run time.
#pragma once

#include <span>

#include "base/integers.h"
#include "cartridge/table_check.h"
#include "crayon/layout/cartridge.h"
#include "normalize/nfc_pages.h"
#include "scan/scanner.h"

namespace crayon {

struct Transcoded {
    size_t units;  // consumed
    size_t bytes;  // written
};

// A kernel is in parts, since few modules have all of them (module_features.cpp).

// For the validator: the lanes of a checksum, and the rules of long tables, by TableRule.
struct CheckKernel {
    void (*checksum_blocks)(u64* lanes, const u8* bytes, size_t count);
    const TableCheck::Broken* broken;
};

// Indexed by layout::Pretokenizer; nullptr where a module lacks one.
struct ScanFunctions {
    ScanFunction of[layout::kLastPretokenizer + 1];
    ScanFunction bert_and_ideographs;  // for raw text (encode/raw_words.h)
};

// Of each of some rows, the smallest number. A row has 16, 32 or 64 numbers, at most 2^31 − 1.
using LeastFunction = void (*)(const u32* const* rows, const u32* lengths, u32 count, u32* least);
inline constexpr u32 kShortestRow = 16;

struct TextKernel {
    ScanFunctions scans;
    // UTF-16 to UTF-8: lone surrogates become U+FFFD; a high surrogate at the end is not consumed. `bytes` needs room for 3
    // × count + 64.
    Transcoded (*utf16_to_utf8)(const u16* units, size_t count, u8* bytes);
    // For normalized texts; nullptr in modules without it.
    PassNormal pass_normal;
    // For merging by rank, after every merge (model/merge_lanes.h).
    LeastFunction least;
};

struct CopiedLines {
    size_t read;
    size_t written;
};

// For FASTA, FASTQ and lines of JSON (records/lines.h).
struct RecordKernel {
    // Copies a sequence without its line breaks, until a byte that is neither (or a CR whose LF is not in view), the end of
    // the input, or `capacity` bytes written. The contents of `out` past the written bytes are unspecified.
    CopiedLines (*sequence_lines)(const u8* in, size_t length, u8* out, size_t capacity);
    // The number of leading bytes that belong to a header, to a sequence, to qualities.
    size_t (*header_span)(const u8* in, size_t length);
    size_t (*sequence_span)(const u8* in, size_t length);
    size_t (*quality_span)(const u8* in, size_t length);
    // The same of a string of JSON: up to a quotation mark, a backslash, or a control character.
    size_t (*string_span)(const u8* in, size_t length);
};

struct DnaKernel;  // dna_kernel.h

struct Kernel {
    const char* name;
    bool (*runs_here)();
    const CheckKernel* checks;
    // nullptr in modules without them.
    const TextKernel* texts;
    const DnaKernel* dna;
    const RecordKernel* records;

    ScanFunction scan(u32 pretokenizer) const {
        return texts && pretokenizer <= layout::kLastPretokenizer ? texts->scans.of[pretokenizer] : nullptr;
    }
};

// The kernels of this build, those for its architecture, as CMakeLists.txt defines them; best first.
#if CRAYON_HAS_KERNEL_AVX512
#define CRAYON_KERNELS(EACH) EACH(avx512) EACH(avx2) EACH(ssse3) EACH(scalar)
#elif CRAYON_HAS_KERNEL_NEON
#define CRAYON_KERNELS(EACH) EACH(neon) EACH(scalar)
#elif CRAYON_HAS_KERNEL_SIMD128
#define CRAYON_KERNELS(EACH) EACH(simd128)
#else
#define CRAYON_KERNELS(EACH) EACH(scalar)
#endif

// The parts of each, in kernel_<name>.cpp, and whether this machine can run it, in kernel.cpp. kCommonTexts lacks the
// pretokenizers and the normalizer that few vocabularies need.
#define CRAYON_KERNEL_PARTS(name)                     \
    namespace kernel_##name {                         \
        extern const CheckKernel kChecks;             \
        extern const TextKernel kTexts, kCommonTexts; \
        extern const DnaKernel kDna;                  \
        extern const RecordKernel kRecords;           \
        bool runs_here();                             \
    }
CRAYON_KERNELS(CRAYON_KERNEL_PARTS)
#undef CRAYON_KERNEL_PARTS

// Those of this module, in module_features.cpp.
extern const std::span<const Kernel> kKernels;

// The kernels that this machine can run, best first; nullptr past the last one, "scalar".
const Kernel* kernel_at(u32 index);
// The kernel with that name if this machine can run it, else nullptr. An empty name selects the best one.
const Kernel* kernel_named(const char* name, size_t length);

}  // namespace crayon
