// The section of the model "dna" (cartridges/FORMAT.md §10): the ids of a base sequence.
//
// kDna is a DnaRules, then u32 base_ids[256], u32 start_ids[start_count], u32 kmer_ids[kmer_count], u32
// before[before_count] and u32 after[after_count]. Every id is below the vocabulary size of each view; byte and k-mer ids
// may be kNone.
#pragma once

#include <cstdint>

#include "crayon/layout/cartridge.h"

namespace crayon::layout {

// Same values as in crayon.h.
enum class DnaUnit : std::uint32_t { kBytes = 1, kKmers = 2, kStride1 = 3 };
enum class DnaSide : std::uint32_t { kLeft = 0, kRight = 1 };
enum class DnaPolicy : std::uint32_t { kReject = 0, kNormalize = 1, kKeep = 2 };
enum class DnaTail : std::uint32_t { kSingle = 0, kPad = 1, kDrop = 2 };
enum class DnaUnknown : std::uint8_t { kEach = 0, kWords = 1 };

inline constexpr std::uint32_t kMaxKmer = 8;
inline constexpr std::uint32_t kMaxDigits = 5;
inline constexpr std::uint32_t kMaxDnaTemplate = 64;  // ids before a sequence, and ids after it
inline constexpr std::uint32_t kByteValues = 256;

struct DnaRules {
    DnaUnit unit;
    std::uint32_t k;              // 1 to kMaxKmer; 1 for bytes
    std::uint32_t digit_count;    // 4 or 5; 0 for bytes
    std::uint32_t first_kmer_id;  // the k-mer with index i has the id first_kmer_id + i; kNone: no k-mers, or a table
    std::uint32_t kmer_count;     // table entries: digit_count to the power of k, or 0
    std::uint32_t start_count;    // 256, or 0 if the first byte of a sequence is not special. Only for bytes
    std::uint32_t pad_id;         // or kNone
    DnaSide side;
    DnaPolicy lower_case;
    DnaPolicy ambiguous;  // codes of several bases, except N
    DnaPolicy n;          // kReject or kKeep
    DnaTail tail;         // kPad requires a pad_id
    std::uint32_t before_count;
    std::uint32_t after_count;
    std::uint8_t digits[kMaxDigits];  // digit_count different bytes, then zeros
    DnaUnknown unknown;               // kWords requires k-mers with an unknown_id, and a base id for every digit
    std::uint8_t zero[2];
};
static_assert(sizeof(DnaRules) == 64);

// The bytes that end a word of unknown bytes (and have no id), if unknown bytes are grouped into words.
constexpr bool is_dna_space(std::uint32_t byte) { return (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 32); }

constexpr std::uint32_t kmer_count(std::uint32_t digit_count, std::uint32_t k) {
    std::uint32_t count = 1;
    for (std::uint32_t i = 0; i < k; ++i) count *= digit_count;
    return count;
}

}  // namespace crayon::layout
