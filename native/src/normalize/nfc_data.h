// What NFC does with each code point, as the bytes that scripts/generate-nfc.mjs packs. nfc_tables.cpp unpacks them.
#pragma once

#include "base/integers.h"

namespace crayon {

extern const u8 kNfcData[];

}  // namespace crayon
