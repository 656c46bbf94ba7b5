// NFC data by code point, from the table of Hugging Face's normalizer: Unicode 9.0, in which later characters are
// unassigned. The engine contains it, packed in a few kilobytes, so cartridges do not include it and the validator does not
// check it; a tokenizer with NFC unpacks it to about 40 KB for lookups with one or two reads.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "normalize/nfc_pages.h"

namespace crayon {

// Hangul syllables are composed and decomposed by arithmetic (The Unicode Standard, section 3.12).
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

class NfcTables {
public:
    // OUT_OF_MEMORY.
    Status unpack();

    // For a code point: the number of its combining class (0: a starter; numbers are in class order), plus these flags.
    // Most have none.
    enum Property : u16 {
        kClass = 0xFF,
        kJoins = 0x100,      // NFC may move it, or compose it with preceding text; text must not be cut before it
        kSecond = 0x200,     // composes with some preceding character
        kReplaced = 0x400,   // never occurs in NFC
        kComposite = 0x800,  // consists of two; not set for Hangul syllables
    };
    u16 properties(u32 code) const { return code < kEnd ? properties_[block_of(code >> 6) * 64 + (code & 63)] : 0; }
    // Whether none of the 64 code points from 64 * `block` on has properties.
    bool is_plain(u32 block) const { return block_of(block) == 0; }

    // The same as sets.
    NfcPages pages() const { return {this, stays, blocks_, pages_.data()}; }

    // The composition of two characters; 0 if they do not compose.
    u32 compose(u32 first, u32 second) const;
    // The full decomposition: 1 to kMostParts code points.
    static constexpr u32 kMostParts = 4;
    u32 decompose(u32 code, u32 parts[kMostParts]) const;

private:
    static constexpr u32 kEnd = NfcPages::kEnd;
    struct Row {
        u32 code, first, second;  // for replaced characters: index and number of their parts
    };

    static bool stays(const NfcTables& tables, u32 before, u32 code);
    u32 block_of(u32 block) const { return blocks_[block]; }
    bool set(u32 code, u32 properties);
    const Row* row_of(u32 code) const;
    static u32 slot_of(u32 first, u32 second) { return ((first * 0x9E3779B1 ^ second * 0x85EBCA77) >> 15) % kSlots; }

    static constexpr u32 kSlots = 2048;
    u8 blocks_[kEnd / 64] = {};
    Buffer<u16> properties_;
    Buffer<NfcPage> pages_;
    Buffer<Row> rows_;  // ascending by code
    Buffer<u32> parts_;
    u16 slots_[kSlots] = {};  // of pairs that compose: 1 + row index, 0 for none; linear probing
};

// The data of all code points, in the packed form of scripts/generate-nfc.mjs.
extern const u8 kNfcData[];

}  // namespace crayon
