// A static hash table with one probe: no chains, no empty-slot search, the same work for a hit and for a miss.
//
// Every key belongs to one bucket; each bucket has a pilot, chosen by the builder, that sends its keys to slots of their
// own (hash and displace; Pibiri & Trani, "PTHash", SIGIR 2021). A section is
//     PerfectHash header · u8 pilots[bucket_count], zero-padded to 64 · entries[slot_count]
// Any pilot gives a slot inside the table, so a damaged table can return a wrong entry but never one outside the table.
// The reader compares the key stored in the entry, so a match is exact.
#pragma once

#include <cstdint>

namespace crayon::layout {

struct PerfectHash {
    std::uint64_t seed;
    std::uint32_t key_count;
    std::uint32_t bucket_count;  // at least 1
    std::uint32_t slot_count;    // at least 1, at least key_count
    std::uint32_t entry_bytes;   // 16, 32 or 4
    std::uint8_t reserved[40];
};
static_assert(sizeof(PerfectHash) == 64);

inline constexpr std::uint64_t kMixA = 0x9E3779B97F4A7C15;
inline constexpr std::uint64_t kMixB = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t kMixC = 0x165667B19E3779F9;
inline constexpr std::uint64_t kMixD = 0xD6E8FEB86659FD93;

// Hash of a key of at most 8 bytes: the bytes little-endian in `word`, zeros above. Pairs (left | right << 32) use
// length 0.
constexpr std::uint64_t hash_word(std::uint64_t word, std::uint32_t length, std::uint64_t seed) {
    std::uint64_t x = ((word ^ seed) + length * kMixB) * kMixA;
    return x ^ (x >> 32);
}

// Hash of a key of 9…24 bytes: three little-endian words, zeros above.
constexpr std::uint64_t hash_words(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2, std::uint32_t length,
                                   std::uint64_t seed) {
    std::uint64_t x = (w0 ^ seed) * kMixA + (w1 ^ (seed >> 7)) * kMixB + (w2 + length) * kMixC;
    x = (x ^ (x >> 29)) * kMixD;
    return x ^ (x >> 32);
}

// Hash of a key of any length, word by word; the last word holds the remaining bytes, zeros above.
constexpr std::uint64_t hash_start(std::uint32_t length, std::uint64_t seed) { return seed + length * kMixB; }
constexpr std::uint64_t hash_next(std::uint64_t state, std::uint64_t word) {
    std::uint64_t x = (state ^ word) * kMixA;
    return x ^ (x >> 29);
}
constexpr std::uint64_t hash_finish(std::uint64_t state) {
    std::uint64_t x = state * kMixD;
    return x ^ (x >> 32);
}

constexpr std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t bucket_count) {
    return static_cast<std::uint32_t>(((hash >> 32) * bucket_count) >> 32);
}

// The pilot picks an odd multiplier for the low half, so keys that collide under one pilot are separated by the next.
constexpr std::uint32_t slot_of(std::uint64_t hash, std::uint8_t pilot, std::uint32_t slot_count) {
    std::uint32_t spread = static_cast<std::uint32_t>(hash) * (pilot * 0x9E3779B2u + 1u);
    return static_cast<std::uint32_t>((std::uint64_t{spread} * slot_count) >> 32);
}

}  // namespace crayon::layout
