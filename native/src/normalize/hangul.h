// Hangul syllables, composed and decomposed by arithmetic (The Unicode Standard, section 3.12).
#pragma once

#include "base/integers.h"

namespace crayon {

inline constexpr u32 kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
inline constexpr u32 kLeadCount = 19, kVowelCount = 21, kTailCount = 28, kSyllableCount = kLeadCount * kVowelCount * kTailCount;

inline bool is_syllable(u32 code) { return code - kSyllables < kSyllableCount; }

// Decomposes a syllable. Returns the number of its letters, 2 or 3; `parts` has room for 3.
inline u32 decompose_syllable(u32 code, u32* parts) {
    const u32 index = code - kSyllables, tail = index % kTailCount;
    parts[0] = kLeads + index / (kVowelCount * kTailCount);
    parts[1] = kVowels + index / kTailCount % kVowelCount;
    parts[2] = kTails + tail;
    return tail ? 3 : 2;
}

}  // namespace crayon
