// UTF-16 to UTF-8. A JavaScript string comes as UTF-16; most of it is ASCII, which is narrowed sixteen units at a time.
#pragma once

#include <cstring>

#include "base/integers.h"
#include "simd/kernel.h"

namespace crayon::CRAYON_ROW {

// Narrows four units; the caller has seen that all of them are ASCII.
inline u32 narrow(u64 units) {
    units = (units | units >> 8) & 0x0000FFFF0000FFFF;
    return static_cast<u32>(units | units >> 16);
}

inline Transcoded utf16_to_utf8(const u16* units, size_t count, u8* bytes) {
    size_t i = 0;
    u8* out = bytes;
    while (i < count) {
        while (i + 16 <= count) {
            u64 words[4];
            std::memcpy(words, units + i, 32);
            if ((words[0] | words[1] | words[2] | words[3]) & 0xFF80FF80FF80FF80) break;
            const u32 narrowed[4] = {narrow(words[0]), narrow(words[1]), narrow(words[2]), narrow(words[3])};
            std::memcpy(out, narrowed, 16);
            out += 16;
            i += 16;
        }
        if (i == count) break;
        // Sixteen units one by one, then the quick way is tried again.
        for (const size_t stop = i + 16 < count ? i + 16 : count; i < stop; ++i) {
            const u32 unit = units[i];
            if (unit < 0x80) {
                *out++ = static_cast<u8>(unit);
            } else if (unit < 0x800) {
                *out++ = static_cast<u8>(0xC0 | unit >> 6);
                *out++ = static_cast<u8>(0x80 | (unit & 0x3F));
            } else if ((unit & 0xF800) != 0xD800) {
                *out++ = static_cast<u8>(0xE0 | unit >> 12);
                *out++ = static_cast<u8>(0x80 | (unit >> 6 & 0x3F));
                *out++ = static_cast<u8>(0x80 | (unit & 0x3F));
            } else if (unit < 0xDC00 && i + 1 == count) {
                return {i, static_cast<size_t>(out - bytes)};
            } else if (unit < 0xDC00 && (units[i + 1] & 0xFC00) == 0xDC00) {
                const u32 code_point = 0x10000 + ((unit & 0x3FF) << 10 | (units[i + 1] & 0x3FF));
                *out++ = static_cast<u8>(0xF0 | code_point >> 18);
                *out++ = static_cast<u8>(0x80 | (code_point >> 12 & 0x3F));
                *out++ = static_cast<u8>(0x80 | (code_point >> 6 & 0x3F));
                *out++ = static_cast<u8>(0x80 | (code_point & 0x3F));
                ++i;
            } else {
                *out++ = 0xEF;
                *out++ = 0xBF;
                *out++ = 0xBD;
            }
        }
    }
    return {i, static_cast<size_t>(out - bytes)};
}

}  // namespace crayon::CRAYON_ROW
