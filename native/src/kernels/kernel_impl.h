// The body of every kernel: the algorithms over the Bytes64 of one instruction set. The including file defines
// CRAYON_KERNEL, the kernel's namespace, and includes its bytes64 and bases headers first.
#pragma once

#include "dna/kmer_ids.h"
#include "dna/map_bytes.h"
#include "dna/reverse_complement.h"
#include "kernels/checks.h"
#include "kernels/dna_kernel.h"
#include "kernels/kernel.h"
#include "kernels/least_rows.h"
#include "kernels/transcode.h"
#include "normalize/pass_normal.h"
#include "records/lines.h"
#include "scan/bert.h"
#include "scan/cl100k.h"
#include "scan/deepseek3.h"
#include "scan/dfa_scanner.h"
#include "scan/gpt2.h"
#include "scan/metaspace.h"
#include "scan/o200k.h"
#include "scan/scan.h"
#include "scan/unjoined.h"

namespace crayon::CRAYON_KERNEL {

const CheckKernel kChecks = {.checksum_blocks = checksum_blocks<Lanes>, .broken = kBroken};

constexpr ScanFunctions common_scans() {
    ScanFunctions scans{};
    scans.of[layout::kGpt2] = scan<Gpt2, Bytes64>;
    scans.of[layout::kCl100k] = scan<Cl100k, Bytes64, false>;
    scans.of[layout::kO200k] = scan<O200k, Bytes64, true, false>;
    scans.of[layout::kQwen2] = scan<Cl100k, Bytes64, true>;
    scans.of[layout::kTekken] = scan<O200k, Bytes64, false, true>;
    scans.of[layout::kNoPretokenizer] = scan_unjoined<Bytes64>;
    return scans;
}

constexpr ScanFunctions all_scans() {
    ScanFunctions scans = common_scans();
    scans.of[layout::kDeepseek3] = scan<Deepseek3, Bytes64>;
    scans.of[layout::kBert] = scan<Bert, Bytes64, false>;
    scans.bert_and_ideographs = scan<BertAndIdeographs, Bytes64>;
    scans.of[layout::kWhitespaceSplit] = scan<Bert, Bytes64, true>;
    scans.of[layout::kMetaspace] = scan_metaspace<Bytes64>;
    scans.of[layout::kPatternPretokenizer] = scan_pattern;
    return scans;
}

const TextKernel kTexts = {all_scans(), utf16_to_utf8<Bytes64>, pass_normal_by<Bytes64>(), least};
const TextKernel kCommonTexts = {common_scans(), utf16_to_utf8<Bytes64>, nullptr, least};

const DnaKernel kDna = {
    .map = {map_bytes<Bases, u8>, map_bytes<Bases, u16>, map_bytes<Bases, u32>, map_bytes<Bases, u64>},
    .pack_high_first = pack_bytes<Bases, true>,
    .pack_low_first = pack_bytes<Bases, false>,
    .reverse_complement = reverse_complement<Bases>,
    .kmers = {kmer_ids<KmerLanes, u8>, kmer_ids<KmerLanes, u16>, kmer_ids<KmerLanes, u32>, kmer_ids<KmerLanes, u64>},
};

const RecordKernel kRecords = {
    .sequence_lines = sequence_lines<Bytes64>,
    .header_span = span<HeaderBytes, Bytes64>,
    .sequence_span = span<SequenceBytes, Bytes64>,
    .quality_span = span<QualityBytes, Bytes64>,
    .string_span = span<StringBytes, Bytes64>,
};

}  // namespace crayon::CRAYON_KERNEL
