// The loops over the lines of FASTA and FASTQ, compiled for each instruction set (records/lines.h).
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
    // sight), the input ends, or `room` bytes are written. What of `out` is behind the written bytes is unspecified.
    CopiedLines (*sequence_lines)(const u8* in, size_t length, u8* out, size_t room);
    // How many bytes in a row belong to a header, to a sequence, to qualities.
    size_t (*header_span)(const u8* in, size_t length);
    size_t (*sequence_span)(const u8* in, size_t length);
    size_t (*quality_span)(const u8* in, size_t length);
};

// The same instruction set as that of a kernel.
const RecordKernel& record_kernel(const Kernel& kernel);

}  // namespace crayon
