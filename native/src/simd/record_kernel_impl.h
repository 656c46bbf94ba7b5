// The part of every kernel for records: see kernel_impl.h.
#pragma once

#include "records/lines.h"
#include "simd/record_kernel.h"

namespace crayon::CRAYON_KERNEL {

const RecordKernel kRecords = {
    .sequence_lines = sequence_lines<Bytes64>,
    .header_span = span<HeaderBytes, Bytes64>,
    .sequence_span = span<SequenceBytes, Bytes64>,
    .quality_span = span<QualityBytes, Bytes64>,
    .string_span = span<StringBytes, Bytes64>,
};

}  // namespace crayon::CRAYON_KERNEL
