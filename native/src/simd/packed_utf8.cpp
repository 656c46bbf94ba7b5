#include "simd/packed_utf8.h"

namespace crayon {

constinit const PackedUtf8 kPackedUtf8 = [] {
    PackedUtf8 packed{};
    for (u32 lengths = 0; lengths < 256; ++lengths) {
        u32 length = 0;
        const auto keep = [&](u32 byte) { packed.shuffles[lengths][length++] = static_cast<u8>(byte); };
        for (u32 k = 0; k < 4; ++k) {
            const bool two = lengths >> k & 1, three = lengths >> (4 + k) & 1;
            if (three) keep(4 * k);
            if (two) keep(4 * k + 1);
            keep(two ? 4 * k + 2 : 4 * k + 3);
        }
        while (length < 16) keep(0x80);
    }
    return packed;
}();

}  // namespace crayon
