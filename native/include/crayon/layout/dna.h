// The section of the model "dna" (cartridges/FORMAT.md §10): which ids a sequence of bases has.
//
// kDna is a DnaRules, then u32 base_ids[256], u32 start_ids[start_count], u32 kmer_ids[kmer_count], u32 before[before_count]
// and u32 after[after_count]. Every id is below the vocabulary size of each view; of bytes and k-mers, it may be kNone.
#pragma once

#include <cstdint>

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

// The numbers of these are those of crayon.h.
enum class DnaUnit : std::uint32_t { kBytes = 1, kKmers = 2, kStride1 = 3 };
enum class DnaSide : std::uint32_t { kLeft = 0, kRight = 1 };
enum class DnaPolicy : std::uint32_t { kReject = 0, kNormalize = 1, kKeep = 2 };
enum class DnaTail : std::uint32_t { kSingle = 0, kPad = 1, kDrop = 2 };
enum class DnaUnknown : std::uint8_t { kEach = 0, kWords = 1 };

inline constexpr std::uint32_t kMaxKmer = 8;
inline constexpr std::uint32_t kMaxDigits = 5;
inline constexpr std::uint32_t kMaxDnaTemplate = 64;  // ids before a sequence, and after it
inline constexpr std::uint32_t kByteValues = 256;

struct DnaRules {
    DnaUnit unit;
    std::uint32_t k;              // 1 to kMaxKmer; 1 for bytes
    std::uint32_t digit_count;    // 4 or 5; 0 for bytes
    std::uint32_t first_kmer_id;  // the k-mer with index i has the id first_kmer_id + i; kNone: there are none, or a table
    std::uint32_t kmer_count;     // of the table: digit_count to the power of k, or 0
    std::uint32_t start_count;    // 256, or 0: the first byte of a sequence is like the others. Only for bytes
    std::uint32_t pad_id;         // or kNone
    DnaSide side;
    DnaPolicy lower_case;
    DnaPolicy ambiguous;  // codes of several bases, except N
    DnaPolicy n;          // kReject or kKeep
    DnaTail tail;         // kPad only if there is a pad_id
    std::uint32_t before_count;
    std::uint32_t after_count;
    std::uint8_t digits[kMaxDigits];  // digit_count different bytes, then zeros
    DnaUnknown unknown;               // kWords only for k-mers with an unknown_id, all of whose digits have a base id
    std::uint8_t zero[2];
};
static_assert(sizeof(DnaRules) == 64);

// What ends a word of unknown bytes and has no id, if bytes are unknown in words.
constexpr bool is_dna_space(std::uint32_t byte) { return (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 32); }

// The number of k-mers.
constexpr std::uint32_t kmer_count(std::uint32_t digit_count, std::uint32_t k) {
    std::uint32_t count = 1;
    for (std::uint32_t i = 0; i < k; ++i) count *= digit_count;
    return count;
}

}  // namespace crayon::layout
