// The NFC table as sets of 64 code points, for kernels (normalize/pass_normal.h).
#pragma once

#include <cstddef>

#include "base/integers.h"

namespace crayon {

// Bit i is the i-th of 64 code points.
struct NfcPage {
    u64 joins = 0;    // NfcTables::kJoins
    u64 changes = 0;  // kSecond, kReplaced: NFC may change text with such a character
};

class NfcTables;

struct NfcPages {
    const NfcTables* tables = nullptr;
    // Whether a character that joins `before`, and all text up to there, is unchanged, provided that text is unchanged
    // without it.
    bool (*stays)(const NfcTables& tables, u32 before, u32 code) = nullptr;
    const u8* page_of = nullptr;  // for code points below kEnd / 64; later ones have no properties
    const NfcPage* pages = nullptr;
    static constexpr u32 kEnd = 0x30000;

    [[gnu::always_inline]] const NfcPage& of(u32 code) const { return pages[page_of[code >> 6]]; }
};

// How far text[at, size) is known to be in NFC, in blocks of 64 bytes. `at`: the start of a character. The result may be
// inside a character without properties.
using PassNormal = size_t (*)(const NfcPages& pages, const u8* text, size_t at, size_t size);

}  // namespace crayon
