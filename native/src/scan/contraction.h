// English contractions: (?i:'s|'t|'re|'ve|'m|'ll|'d) and its case-sensitive form.
#pragma once

#include "base/integers.h"

namespace crayon::CRAYON_KERNEL {

// Length in bytes of the contraction's letters at p, right after an apostrophe; 0 if there is none. Reads p[0], p[1].
// Ignoring case, U+017F (ſ, bytes C5 BF) matches s as well.
template <bool kIgnoreCase>
inline u32 contraction_letters(const u8* p) {
    const u32 fold = kIgnoreCase ? 0x20 : 0, first = p[0] | fold, second = p[1] | fold;
    switch (first) {
        case 's':
        case 't':
        case 'm':
        case 'd':
            return 1;
        case 'r':
        case 'v':
            return second == 'e' ? 2 : 0;
        case 'l':
            return second == 'l' ? 2 : 0;
        default:
            return kIgnoreCase && p[0] == 0xC5 && p[1] == 0xBF ? 2 : 0;
    }
}

}  // namespace crayon::CRAYON_KERNEL
