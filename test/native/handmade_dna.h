// A small DNA cartridge, written section by section with the simplest code that follows cartridges/FORMAT.md §10.
#pragma once

#include "handmade_cartridge.h"

namespace crayon::test {

// 0 "A", 1 "C", 2 "?", the unknown and padding id, 3 the added token "<s>", which precedes a sequence; 4 … 19 the 2-mers of ACGT,
// from a table.
HandmadeCartridge make_handmade_dna();

}  // namespace crayon::test
