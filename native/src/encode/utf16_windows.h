// Converts UTF-16 that arrives in windows to UTF-8. A window may end inside a surrogate pair.
#pragma once

#include "kernels/kernel.h"

namespace crayon {

class Utf16Windows {
public:
    // Room for the bytes of `length` units; convert may overwrite up to kPadding bytes after them.
    static constexpr size_t capacity_for(size_t length) { return 3 * length + 6; }
    static constexpr size_t kPadding = 64;

    void restart() { high_surrogate_ = 0; }

    // Writes the UTF-8 of a window and returns its length. `last`: the text ends with it.
    size_t convert(const Kernel& kernel, const u16* units, size_t length, bool last, u8* bytes) {
        u8* out = bytes;
        if (high_surrogate_ && (length || last)) {
            const u16 pair[2] = {high_surrogate_, length ? units[0] : u16{0}};
            high_surrogate_ = 0;
            const bool joined = length && (pair[1] & 0xFC00) == 0xDC00;
            // If the second unit is not a low surrogate, only the high one is converted here.
            const u16 alone[2] = {pair[0], ' '};
            out += kernel.texts->utf16_to_utf8(joined ? pair : alone, 2, out).bytes - !joined;
            units += joined;
            length -= joined;
        }
        const Transcoded done = kernel.texts->utf16_to_utf8(units, length, out);
        out += done.bytes;
        if (done.units < length) {  // the window ends with a high surrogate
            if (last) {
                const u16 alone[2] = {units[done.units], ' '};
                out += kernel.texts->utf16_to_utf8(alone, 2, out).bytes - 1;
            } else {
                high_surrogate_ = units[done.units];
            }
        }
        return static_cast<size_t>(out - bytes);
    }

private:
    u16 high_surrogate_ = 0;  // the last unit of the previous window
};

}  // namespace crayon
