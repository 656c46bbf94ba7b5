// What normalizers do with single characters: ascending tables, which a script has generated.
#pragma once

#include "base/integers.h"

namespace crayon::character_data {

extern const u32 kDecompositions[], kDecompositionsCount;  // code point, parts and kCompatible, the parts: canonical ones first
inline constexpr u32 kCompatible = 0x80000000;             // it is that of NFKD alone
extern const u32 kLowercase[], kLowercaseCount;            // first, last, step, how far (wraps)
// Ranges of code points: marks that BERT and StripAccents take out; what BERT cleans and makes spaces; what it puts spaces
// around.
extern const u32 kNonspacing[], kNonspacingCount;
extern const u32 kCombining[], kCombiningCount;
extern const u32 kRemoved[], kRemovedCount;
extern const u32 kSpaces[], kSpacesCount;
extern const u32 kIdeographs[], kIdeographsCount;
// First, last, class of graphemes.h; consonants and linkers of rule GB9c.
extern const u32 kGraphemes[], kGraphemesCount;
extern const u32 kConsonants[], kConsonantsCount;
extern const u32 kLinkers[], kLinkersCount;

}  // namespace crayon::character_data
