// NFC of UTF-8 texts (Unicode Standard Annex #15), as in Hugging Face tokenizers.
//
// A range (normalizer.h) begins with a character that NFC neither moves nor composes with anything before it, and ends
// before the next such character or at the end of the text. Nearly all are already in NFC:
//   - A character without properties (nfc_tables.h) is a range. All before U+0300 are such, and all of some scripts, so
//     most bytes need only one test of their value (pass_normal.h).
//   - Any other range is in NFC if its marks ascend by class, it has no character that is always replaced, and none that
//     composes with the starter before it. If the starter is a composite, a mark may compose with its first half; then the
//     range is rewritten, even if nothing changes.
// Each part of a text in NFC is in NFC, too.
//
// Bytes that are not UTF-8 (base/utf8.h) count as characters without properties, and do not change.
#pragma once

#include <algorithm>

#include "base/utf8.h"
#include "normalize/nfc_tables.h"
#include "normalize/normalizer.h"

namespace crayon {

class Nfc final : public Normalizer {
public:
    // `pass`: the kernel's function.
    Status create(PassNormal pass) {
        pass_ = pass;
        return tables_.unpack();
    }

    Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const override;
    // Composed characters are attributed to the first of them, omitting the others; the second character of a decomposition
    // is attributed to the character before it.
    Status rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const override;

private:
    Character character_at(const u8* text, size_t at, size_t size) const;
    Status decompose(const u8* text, size_t begin, size_t end, Scratch& scratch) const;

    NfcTables tables_;
    PassNormal pass_ = nullptr;
};

}  // namespace crayon
