// UTF-16 to UTF-8, since JavaScript strings are UTF-16. Sixteen units at a time with the kernel's vectors; one by one near
// surrogates, at the end and, in a kernel without Units, for all non-ASCII text.
//
// Bytes64::Units, if a kernel has it, is sixteen units:
//   load(p)         reads them, any alignment
//   ascii()         whether all are ASCII
//   narrow(out)     writes ASCII, sixteen bytes
//   surrogates()    whether any is a surrogate
//   write(out)      writes the UTF-8 of units without surrogates and returns the address after it; the bytes from there
//                   to out + 64 may be overwritten
#pragma once

#include <cstring>

#include "base/integers.h"
#include "base/utf8.h"
#include "kernels/kernel.h"

namespace crayon::CRAYON_KERNEL {

// Sixteen units, for a kernel without vectors of units.
struct PlainUnits {
    u64 words[4];

    static PlainUnits load(const u16* p) {
        PlainUnits units;
        std::memcpy(units.words, p, 32);
        return units;
    }
    bool ascii() const { return ((words[0] | words[1] | words[2] | words[3]) & 0xFF80FF80FF80FF80) == 0; }
    void narrow(u8* out) const {
        const auto narrow_four = [](u64 four) {
            four = (four | four >> 8) & 0x0000FFFF0000FFFF;
            return static_cast<u32>(four | four >> 16);
        };
        const u32 narrowed[] = {narrow_four(words[0]), narrow_four(words[1]), narrow_four(words[2]), narrow_four(words[3])};
        std::memcpy(out, narrowed, 16);
    }
};

template <class Bytes>
struct UnitsOf {
    using Type = PlainUnits;
};
template <class Bytes>
requires requires { typename Bytes::Units; }
struct UnitsOf<Bytes> {
    using Type = typename Bytes::Units;
};

template <class Bytes>
inline Transcoded utf16_to_utf8(const u16* units, size_t count, u8* bytes) {
    using Units = typename UnitsOf<Bytes>::Type;
    size_t i = 0;
    u8* out = bytes;
    while (i < count) {
        for (; i + 16 <= count; i += 16, out += 16) {
            const Units sixteen = Units::load(units + i);
            if (!sixteen.ascii()) break;
            sixteen.narrow(out);
        }
        if (i < count && i + 16 > count && count >= 16) {
            // The last sixteen, some of them again: where all are ASCII, a byte has been written for each.
            const size_t again = i + 16 - count;
            if (const Units sixteen = Units::load(units + i - again); sixteen.ascii()) {
                sixteen.narrow(out - again);
                return {count, static_cast<size_t>(out - bytes) + 16 - again};
            }
        }
        if constexpr (requires(Units u) { u.write(out); }) {
            if (i + 16 <= count) {
                const Units sixteen = Units::load(units + i);
                if (!sixteen.surrogates()) {
                    out = sixteen.write(out);
                    i += 16;
                    continue;
                }
            }
        }
        // Does up to sixteen one by one, then retries the fast paths.
        const size_t stop = i + 16 < count ? i + 16 : count;
        for (; i < stop; ++i) {
            u32 code = units[i];
            if ((code & 0xF800) == 0xD800) {
                const bool is_high = code < 0xDC00;
                if (is_high && i + 1 == count) return {i, static_cast<size_t>(out - bytes)};
                const bool is_pair = is_high && (units[i + 1] & 0xFC00) == 0xDC00;
                code = is_pair ? 0x10000 + ((code & 0x3FF) << 10 | (units[++i] & 0x3FF)) : 0xFFFD;
            }
            out += put_utf8(code, out);
        }
    }
    return {i, static_cast<size_t>(out - bytes)};
}

}  // namespace crayon::CRAYON_KERNEL
