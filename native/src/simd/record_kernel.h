// The part of a kernel for FASTA, FASTQ and lines of JSON (records/lines.h): a separate table, so that a module without it omits
// its code.
#pragma once

#include "base/integers.h"
#include "simd/kernel.h"

namespace crayon {

struct CopiedLines {
    size_t read;
    size_t written;
};

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

}  // namespace crayon
