// A module without normalizers opens no tokenizer that needs one.
#include "normalize/nfc.h"

namespace crayon {

Status NfcTables::unpack() { return {CRAYON_FEATURE_MISSING}; }

// Only of tokenizers that are open.
Nfc::Checked Nfc::check(const u8*, size_t, size_t, size_t size, bool) const { return {size, size, size}; }
Status Nfc::rewrite(const u8*, size_t, size_t, Scratch&, bool*) const { return {CRAYON_FEATURE_MISSING}; }

}  // namespace crayon
