// NFC, NFD, NFKC and NFKD of a range, and other operations that depend on character properties (character_data.h).
#pragma once

#include "normalize/nfc_tables.h"
#include "normalize/normalizer.h"

namespace crayon {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

class UnicodeForms {
public:
    // OUT_OF_MEMORY.
    Status create();

    // Cost: linear for any content.
    Status normalize(UnicodeForm form, StepText* text, Normalizer::Scratch& scratch) const;
    // What becomes of the text, as scratch.changes. The same cost.
    Status changes_of(UnicodeForm form, const StepText& text, Normalizer::Scratch& scratch) const;

    // Whether a form may move what it makes of a character, or compose it with a preceding one.
    bool joins(UnicodeForm form, u32 code) const;

private:
    struct Row {
        u32 code, first, count;
    };
    static constexpr u32 kMostParts = 18;
    u32 decompose(u32 code, bool compatible, u32* parts) const;
    static const Row* row_of(const Buffer<Row>& rows, u32 code);

    NfcTables tables_;
    Buffer<Row> canonical_, compatible_;
};

// Unicode lowercase, as in Rust. `out` needs room for 3.
u32 lowercase_of(u32 code, u32* out);
bool is_nonspacing(u32 code);
bool is_combining(u32 code);
// As in BERT.
bool is_cleaned_away(u32 code);
bool is_cleaned_to_space(u32 code);
bool is_ideograph(u32 code);
// What Nmt takes out, and makes spaces.
bool is_nmt_removed(u32 code);
bool is_nmt_space(u32 code);

// The character that stands for a byte in ByteLevel.
inline u32 byte_level(u32 byte) {
    if (byte <= 0x20) return 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0) return 0x121 + (byte - 0x7F);
    return byte == 0xAD ? 0x143 : byte;
}

// Canonical ordering and composition of decomposed characters (Unicode Standard Annex #15).

// Sorts the marks of scratch.parts. OUT_OF_MEMORY.
Status sort_marks(Normalizer::Scratch& scratch);
// Composes parts whose marks are sorted.
void compose(const NfcTables& tables, Buffer<Normalizer::Scratch::Part>* parts);

}  // namespace crayon
