#include "dna/dna.h"

#include <array>
#include <cstring>
#include <string_view>

namespace crayon {

namespace {

// Complements of both letter cases; all other bytes are rejected.
constexpr ByteMap complements() {
    ByteMap map{};
    map.rejects = true;
    constexpr std::string_view from = "ACGTURYKMBVDHSWN", to = "TGCAAYRMKVBHDSWN";
    for (size_t i = 0; i < from.size(); ++i) {
        map.values[static_cast<u8>(from[i])] = static_cast<u8>(to[i]);
        map.values[static_cast<u8>(from[i] | 32)] = static_cast<u8>(to[i] | 32);
    }
    map.complete();
    return map;
}

constexpr ByteMap two_bits() {
    ByteMap map{};
    map.rejects = true;
    map.rejected = 0xFF;
    for (u8& value : map.values) value = map.rejected;
    for (u8 i = 0; i < 4; ++i) map.values[static_cast<u8>("ACGT"[i])] = map.values[static_cast<u8>("acgt"[i])] = i;
    map.complete();
    return map;
}

constexpr ByteMap kComplements = complements(), kTwoBits = two_bits();

// The two bases of four bits.
constexpr std::array<u16, 16> kPairs = [] {
    std::array<u16, 16> pairs{};
    for (u32 i = 0; i < 16; ++i) pairs[i] = static_cast<u16>("ACGT"[i & 3] | "ACGT"[i >> 2] << 8);
    return pairs;
}();

Status all_known(size_t known, u32 length) { return known == length ? Status{} : Status{CRAYON_UNKNOWN_BASE, 0, known}; }

}  // namespace

Status reverse_complement_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* out) {
    return all_known(kernel.reverse_complement(kComplements, bytes, length, out), length);
}

Status pack_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* packed) {
    return all_known(kernel.pack_low_first(kTwoBits, bytes, length, packed), length);
}

void unpack_bases(const u8* packed, u32 length, u8* bytes) {
    u32 at = 0;
    for (; at + 4 <= length; at += 4) {
        const u8 four = packed[at / 4];
        const u32 pairs = kPairs[four & 15] | u32{kPairs[four >> 4]} << 16;
        std::memcpy(bytes + at, &pairs, 4);
    }
    for (; at < length; ++at) bytes[at] = static_cast<u8>("ACGT"[packed[at / 4] >> (at % 4 * 2) & 3]);
}

}  // namespace crayon
