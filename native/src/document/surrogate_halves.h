// UTF-8 in which the halves of surrogate pairs may stand alone (WTF-8), as three bytes each: a string of JavaScript may be cut
// inside a pair, and joined there again. The encoder gets U+FFFD in their place, which has three bytes as well.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/utf8.h"

namespace crayon {

inline bool is_high_half(u32 unit) { return (unit & 0xFC00) == 0xD800; }
inline bool is_low_half(u32 unit) { return (unit & 0xFC00) == 0xDC00; }

// Whether the character at p, of which the first two bytes are readable, is a half.
inline bool is_half(const u8* p) { return p[0] == 0xED && p[1] >= 0xA0; }
// The half at p, three bytes.
inline u16 half_at(const u8* p) { return static_cast<u16>(0xD000 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)); }

// Appends UTF-16; sets `has_halves` if some halves have no other half. False if memory is short.
[[nodiscard]] bool append_units(const u16* units, size_t count, Buffer<u8>& bytes, bool* has_halves);

// The UTF-16 units of some bytes: a character counts where its first byte is.
u32 count_units(const u8* bytes, size_t count);

// The first byte of the character that has unit `unit` of those bytes, and whether this is its second unit. `count` if there are
// fewer units.
struct UnitPlace {
    u32 byte;
    bool inside;
};
UnitPlace find_unit(const u8* bytes, u32 count, u32 unit);

// Converts bytes to units, at most 1 for each byte, and returns how many. Characters must be whole, and halves may be alone.
u32 to_units(const u8* bytes, size_t count, u16* units);

// Whether some characters of the bytes are halves; then, puts U+FFFD in their place.
bool has_halves(const u8* bytes, size_t count);
void replace_halves(u8* bytes, size_t count);

}  // namespace crayon
