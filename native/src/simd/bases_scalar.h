// A vector of bytes that are bases, for the DNA kernels (dna/map_bytes.h); this kernel does not have vectors, and takes one
// byte at a time. The Bases of every other kernel has the same few operations:
//   kCount                  bytes in a vector
//   load(p)                 reads p[0, kCount), any alignment
//   letters(map)            the entries of letters, for looked_up
//   looked_up(letters)      the entry of each byte of 64…127, 0 for any other
//   are_letters()           whether all bytes are in that range
//   flipped(bits)           XOR with these bits
//   has(c)                  whether some byte is c
//   equal(c)                kEqualBits bits for each byte, the first the lowest: ones where it is c
//   reversed()              in the opposite order
//   store_as<Id>(p)         as unsigned integers of any size
//   store_packed<high>(p)   values of two bits, four to a byte: the first has the highest bits of it, or the lowest
// KmerLanes are k-mers of packed digits, for dna/kmer_ids.h:
//   kCount                  k-mers at a time, 0 or a multiple of 4
//   indexes(packed)         their indexes
//   with_first(indexes)     plus the id of the first k-mer
//   load, store_as<Id>(p)   numbers of 32 bits; as unsigned integers of more than one byte
#pragma once

#include "dna/kernel_tables.h"

namespace crayon::CRAYON_KERNEL {

struct Bases {
    static constexpr u32 kCount = 0;
};

struct KmerLanes {
    static constexpr u32 kCount = 0;
};

}  // namespace crayon::CRAYON_KERNEL
