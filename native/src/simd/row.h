// The body of every row: instantiates the algorithms over the row's Bytes64 (the file that includes this has set
// CRAYON_ROW and included its bytes64 header).
#pragma once

#include "scan/cl100k.h"
#include "scan/gpt2.h"
#include "scan/o200k.h"
#include "scan/scan.h"
#include "scan/unjoined.h"
#include "simd/kernel.h"
#include "simd/transcode.h"

#define CRAYON_STRING2(x) #x
#define CRAYON_STRING(x) CRAYON_STRING2(x)

namespace crayon::CRAYON_ROW {

extern const Kernel kKernel;
const Kernel kKernel = {
    .name = &CRAYON_STRING(CRAYON_ROW)[4],  // behind "row_"
    .scan_gpt2 = scan<Gpt2, Bytes64>,
    .scan_cl100k = scan<Cl100k, Bytes64>,
    .scan_o200k = scan<O200k, Bytes64>,
    .scan_qwen2 = scan<Qwen2, Bytes64>,
    .scan_unjoined = scan_unjoined<Bytes64>,
    .utf16_to_utf8 = utf16_to_utf8<Bytes64>,
};

}  // namespace crayon::CRAYON_ROW
