// The part of a kernel that is about FASTA and FASTQ (records/lines.h): a table of its own, so that a module without
// them does not have its code.
#pragma once

#include "base/integers.h"
#include "simd/kernel.h"

namespace crayon {

struct CopiedLines {
    size_t read;
    size_t written;
};

struct RecordKernel {
    // Copies a sequence without its line breaks, until a byte is in the way that is neither (or a CR whose LF is not in
    // sight), the input ends, or `capacity` bytes are written. What of `out` is behind the written bytes is unspecified.
    CopiedLines (*sequence_lines)(const u8* in, size_t length, u8* out, size_t capacity);
    // How many bytes in a row belong to a header, to a sequence, to qualities.
    size_t (*header_span)(const u8* in, size_t length);
    size_t (*sequence_span)(const u8* in, size_t length);
    size_t (*quality_span)(const u8* in, size_t length);
};

// Of a kernel of this machine.
const RecordKernel& record_kernel_of(const Kernel& kernel);

namespace kernel_scalar {
extern const RecordKernel kRecords;
}
namespace kernel_ssse3 {
extern const RecordKernel kRecords;
}
namespace kernel_avx2 {
extern const RecordKernel kRecords;
}
namespace kernel_avx512 {
extern const RecordKernel kRecords;
}
namespace kernel_neon {
extern const RecordKernel kRecords;
}
namespace kernel_simd128 {
extern const RecordKernel kRecords;
}

}  // namespace crayon
