#include "cartridge/table_check.h"

#include <algorithm>

namespace crayon {

Status TableCheck::run(const u8* bytes, u64 begin, u64 end) {
    const u64 from = std::max(begin, offset), to = std::min(end, offset + count * element_bytes);
    if (from >= to) return {};
    bytes += from - begin;
    const u32 first = static_cast<u32>((from - offset) / element_bytes);
    const u32 elements = static_cast<u32>((to - from) / element_bytes);
    if (!broken(*this, bytes, first, elements)) return {};
    u32 element = 0;
    while (element + 1 < elements && !broken(*this, bytes + u64{element} * element_bytes, first + element, 1)) {
        ++element;
    }
    return {CRAYON_CORRUPT_STRUCTURE, section, from + u64{element} * element_bytes};
}

}  // namespace crayon
