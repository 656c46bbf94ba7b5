// The body of every kernel: the algorithms over the Bytes64 of one instruction set. The including file defines
// CRAYON_KERNEL, the kernel's namespace, and includes its bytes64 header first. CRAYON_MOST_PRETOKENIZERS leaves out those
// that few vocabularies need.
#pragma once

#include "cartridge/checksum_blocks.h"
#include "cartridge/table_rules.h"
#include "scan/cl100k.h"
#include "scan/gpt2.h"
#include "scan/o200k.h"
#include "scan/scan.h"
#include "scan/unjoined.h"
#include "simd/kernel.h"
#include "simd/least_rows.h"
#include "simd/transcode.h"
#ifndef CRAYON_MOST_PRETOKENIZERS
#include "normalize/pass_normal.h"
#include "scan/bert.h"
#include "scan/deepseek3.h"
#include "scan/dfa_scanner.h"
#include "scan/metaspace.h"
#endif

#define CRAYON_STRING2(x) #x
#define CRAYON_STRING(x) CRAYON_STRING2(x)

namespace crayon::CRAYON_KERNEL {

constexpr ScanFunctions scan_functions() {
    ScanFunctions scans{};
    scans.of[layout::kGpt2] = scan<Gpt2, Bytes64>;
    scans.of[layout::kCl100k] = scan<Cl100k, Bytes64, false>;
    scans.of[layout::kO200k] = scan<O200k, Bytes64, true, false>;
    scans.of[layout::kQwen2] = scan<Cl100k, Bytes64, true>;
    scans.of[layout::kTekken] = scan<O200k, Bytes64, false, true>;
    scans.of[layout::kNoPretokenizer] = scan_unjoined<Bytes64>;
#ifndef CRAYON_MOST_PRETOKENIZERS
    scans.of[layout::kDeepseek3] = scan<Deepseek3, Bytes64>;
    scans.of[layout::kBert] = scan<Bert, Bytes64, false>;
    scans.bert_and_ideographs = scan<BertAndIdeographs, Bytes64>;
    scans.of[layout::kWhitespaceSplit] = scan<Bert, Bytes64, true>;
    scans.of[layout::kMetaspace] = scan_metaspace<Bytes64>;
    scans.of[layout::kPatternPretokenizer] = scan_pattern;
#endif
    return scans;
}

const Kernel kKernel = {
    .name = &CRAYON_STRING(CRAYON_KERNEL)[7],  // without "kernel_"
    .scans = scan_functions(),
    .utf16_to_utf8 = utf16_to_utf8<Bytes64>,
    .checksum_blocks = checksum_blocks<Bytes64::Lanes>,
    .broken = kBroken,
#ifdef CRAYON_MOST_PRETOKENIZERS
    .pass_normal = nullptr,
#else
    .pass_normal = pass_normal_by<Bytes64>(),
#endif
    .least = least,
};

}  // namespace crayon::CRAYON_KERNEL
