// Per-character data of normalizers: ascending tables, produced by a script.
#pragma once

#include "base/integers.h"

namespace crayon::character_data {

extern const u32 kDecompositions[], kDecompositionsCount;  // code point, parts and kCompatible, the parts: canonical ones first
inline constexpr u32 kCompatible = 0x80000000;             // the decomposition belongs to NFKD only
extern const u32 kLowercase[], kLowercaseCount;            // first, last, step, offset (wraps)
// Ranges of code points: marks that BERT and StripAccents remove; the characters that BERT removes, turns into spaces, or
// surrounds with spaces.
extern const u32 kNonspacing[], kNonspacingCount;
extern const u32 kCombining[], kCombiningCount;
extern const u32 kRemoved[], kRemovedCount;
extern const u32 kSpaces[], kSpacesCount;
extern const u32 kIdeographs[], kIdeographsCount;
// First, last, class of graphemes.h; consonants and linkers of rule GB9c.
extern const u32 kGraphemes[], kGraphemesCount;
extern const u32 kConsonants[], kConsonantsCount;
extern const u32 kLinkers[], kLinkersCount;

// Of rows of `width` numbers that begin with their first and last code point, the one with a code point; nullptr if there is
// none.
inline const u32* row_of(const u32* rows, u32 count, u32 width, u32 code) {
    u32 low = 0, high = count / width;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (code > rows[width * middle + 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return width * low < count && code >= rows[width * low] ? rows + width * low : nullptr;
}

}  // namespace crayon::character_data
