// Canonical ordering and composition of decomposed characters (Unicode Standard Annex #15).
#pragma once

#include "normalize/nfc_tables.h"
#include "normalize/normalizer.h"

namespace crayon {

// Sorts the marks of scratch.parts. OUT_OF_MEMORY.
Status sort_marks(Normalizer::Scratch& scratch);
// Composes parts whose marks are sorted.
void compose(const NfcTables& tables, Buffer<Normalizer::Scratch::Part>* parts);

}  // namespace crayon
