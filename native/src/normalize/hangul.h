// Hangul syllables, composed by arithmetic (The Unicode Standard, section 3.12).
#pragma once

#include "base/integers.h"

namespace crayon {

inline constexpr u32 kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
inline constexpr u32 kLeadCount = 19, kVowelCount = 21, kTailCount = 28, kSyllableCount = kLeadCount * kVowelCount * kTailCount;

}  // namespace crayon
