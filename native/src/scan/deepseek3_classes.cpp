#include "scan/deepseek3_classes.h"

#include <cstring>

#include "crayon/layout/deepseek3_step.h"
#include "scan/symbols.h"

namespace crayon {

bool Deepseek3Classes::make() {
    constexpr u32 kSize = unicode_16_0::kBlockSize;
    blocks.clear();
    classes.clear();
    for (u32 first = 0; first < unicode_16_0::kCodePointCount; first += kSize) {
        u8 block[kSize];
        for (u32 i = 0; i < kSize; ++i) {
            const u32 code_point = first + i;
            u32 kind = unicode_16_0::class_of(code_point);
            if (kind == unicode_16_0::kOther && is_symbol(code_point)) kind = layout::kSymbolClass;
            if (is_ideograph_or_kana(code_point)) kind |= layout::kIdeographOrKana;
            block[i] = static_cast<u8>(kind);
        }
        // There are 250 distinct ones, mostly close together: a block often equals the previous one.
        const size_t count = classes.size() / kSize;
        size_t same = blocks.empty() ? count : blocks.back();
        if (same == count || std::memcmp(classes.data() + same * kSize, block, kSize) != 0) {
            for (same = 0; same < count && std::memcmp(classes.data() + same * kSize, block, kSize) != 0;) ++same;
        }
        if (same == 256 || !blocks.push_back(static_cast<u8>(same))) return false;
        if (same == count && !classes.append(block, kSize)) return false;
    }
    return true;
}

}  // namespace crayon
