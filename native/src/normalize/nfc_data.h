// NFC data of all code points, in the packed form of scripts/generate-nfc.mjs. nfc_tables.cpp unpacks it.
#pragma once

#include "base/integers.h"

namespace crayon {

extern const u8 kNfcData[];

}  // namespace crayon
