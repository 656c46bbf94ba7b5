#include "document/surrogate_halves.h"

#include <cstring>

namespace crayon {

bool append_units(const u16* units, size_t count, Buffer<u8>& bytes, bool* has_halves) {
    size_t at = bytes.size();
    if (!bytes.resize(at + 3 * count)) return false;
    u8* out = bytes.data() + at;
    for (size_t i = 0; i < count; ++i) {
        for (; i + 4 <= count; i += 4, out += 4) {
            u64 four;
            std::memcpy(&four, units + i, sizeof four);
            if (four & 0xFF80FF80FF80FF80) break;
            four = (four | four >> 8) & 0x0000FFFF0000FFFF;
            const u32 narrow = static_cast<u32>(four | four >> 16);
            std::memcpy(out, &narrow, sizeof narrow);
        }
        if (i == count) break;
        u32 code = units[i];
        if (is_high_half(code) && i + 1 < count && is_low_half(units[i + 1])) {
            code = 0x10000 + ((code & 0x3FF) << 10 | (units[++i] & 0x3FF));
        } else if ((code & 0xF800) == 0xD800) {
            *has_halves = true;
        }
        out += put_utf8(code, out);
    }
    bytes.truncate(static_cast<size_t>(out - bytes.data()));
    return true;
}

u32 count_units(const u8* bytes, size_t count) {
    u32 units = 0;
    for (size_t i = 0; i < count; ++i) units += !layout::is_continuation(bytes[i]) + (bytes[i] >= 0xF0);
    return units;
}

UnitPlace find_unit(const u8* bytes, u32 count, u32 unit) {
    u32 passed = 0;
    for (u32 i = 0; i < count; ++i) {
        if (layout::is_continuation(bytes[i])) continue;
        if (passed == unit) return {i, false};
        passed += 1 + (bytes[i] >= 0xF0);
        if (passed > unit) return {i, true};
    }
    return {count, false};
}

u32 to_units(const u8* bytes, size_t count, u16* units) {
    u16* out = units;
    for (size_t i = 0; i < count;) {
        const u32 first = bytes[i];
        if (first < 0x80) {
            *out++ = static_cast<u16>(first);
            i += 1;
        } else if (first < 0xE0) {
            *out++ = static_cast<u16>((first & 0x1F) << 6 | (bytes[i + 1] & 0x3F));
            i += 2;
        } else if (first < 0xF0) {
            *out++ = static_cast<u16>((first & 0x0F) << 12 | (bytes[i + 1] & 0x3F) << 6 | (bytes[i + 2] & 0x3F));
            i += 3;
        } else {
            const u32 code_point =
                (first & 0x07) << 18 | (bytes[i + 1] & 0x3F) << 12 | (bytes[i + 2] & 0x3F) << 6 | (bytes[i + 3] & 0x3F);
            *out++ = static_cast<u16>(0xD7C0 + (code_point >> 10));
            *out++ = static_cast<u16>(0xDC00 | (code_point & 0x3FF));
            i += 4;
        }
    }
    return static_cast<u32>(out - units);
}

bool has_halves(const u8* bytes, size_t count) {
    for (size_t i = 0; i + 2 < count; ++i) {
        if (is_half(bytes + i)) return true;
    }
    return false;
}

void replace_halves(u8* bytes, size_t count) {
    for (size_t i = 0; i + 2 < count; ++i) {
        if (!is_half(bytes + i)) continue;
        bytes[i] = 0xEF;
        bytes[i + 1] = 0xBF;
        bytes[i + 2] = 0xBD;
    }
}

}  // namespace crayon
