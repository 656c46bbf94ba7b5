// The DNA part of every kernel: see kernel_impl.h.
#pragma once

#include "dna/kmer_ids.h"
#include "dna/map_bytes.h"
#include "dna/reverse_complement.h"
#include "simd/dna_kernel.h"

namespace crayon::CRAYON_KERNEL {

const DnaKernel kDna = {
    .map = {map_bytes<Bases, u8>, map_bytes<Bases, u16>, map_bytes<Bases, u32>, map_bytes<Bases, u64>},
    .pack_high_first = pack_bytes<Bases, true>,
    .pack_low_first = pack_bytes<Bases, false>,
    .reverse_complement = reverse_complement<Bases>,
    .kmers = {kmer_ids<KmerLanes, u8>, kmer_ids<KmerLanes, u16>, kmer_ids<KmerLanes, u32>, kmer_ids<KmerLanes, u64>},
};

}  // namespace crayon::CRAYON_KERNEL
