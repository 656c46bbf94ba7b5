#include "cartridge/table_check.h"

#include <algorithm>

namespace crayon {

Status TableCheck::run(const u8* data, u64 begin, u64 end) {
    begin = std::max(begin, offset);
    end = std::min(end, offset + count * element_bytes);
    if (begin >= end) return {};
    const u32 first = static_cast<u32>((begin - offset) / element_bytes);
    const u32 elements = static_cast<u32>((end - begin) / element_bytes);
    if (!broken(*this, data + begin, first, elements)) return {};
    u32 element = 0;
    while (element + 1 < elements && !broken(*this, data + begin + u64{element} * element_bytes, first + element, 1)) {
        ++element;
    }
    return {CRAYON_CORRUPT_STRUCTURE, section, begin + u64{element} * element_bytes};
}

}  // namespace crayon
